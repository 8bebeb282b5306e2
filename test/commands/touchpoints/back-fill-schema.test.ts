import { suite } from "uvu";
import * as assert from "uvu/assert";
import { shapeValidator } from "../../../commands/ingest/item-validation.ts";
import { touchpointSchema } from "../../../commands/touchpoints/back-fill-schema.ts";
import { campaignKeys } from "../../../domain/values/campaign-params.ts";

const faultOf = shapeValidator(touchpointSchema);
const clicked = { touchpointId: "1", kind: "click", timestamp: 0 };

const limits = suite("length limits of a touchpoint in a back-fill");

/** Each row: the field, its maximum length, and fields of a touchpoint in which it is a given text. */
const rows: readonly (readonly [string, number, (text: string) => object])[] = [
  ["touchpointId", 64, (touchpointId) => ({ touchpointId })],
  ["timestamp", 64, (timestamp) => ({ timestamp })],
  ["channel", 256, (channel) => ({ channel })],
  ...campaignKeys.map(
    (key) => [`campaignParams.${key}`, 256, (text: string) => ({ campaignParams: { [key]: text } })] as const,
  ),
  ["gaid", 128, (gaid) => ({ gaid })],
  ["idfa", 128, (idfa) => ({ idfa })],
  ["idfv", 128, (idfv) => ({ idfv })],
  ["deviceId", 128, (deviceId) => ({ deviceId })],
  ["userAgent", 2_048, (userAgent) => ({ userAgent })],
  ["osVersion", 128, (osVersion) => ({ osVersion })],
];

for (const [field, max, fields] of rows) {
  limits(`${field}: up to ${max} characters`, () => {
    const faulty = [max - 1, max, max + 1].map((length) => faultOf({ ...clicked, ...fields("😀".repeat(length)) }));
    assert.equal(
      faulty.map((fault) => fault?.params?.field ?? null),
      [null, null, field],
    );
  });
}

limits.run();
