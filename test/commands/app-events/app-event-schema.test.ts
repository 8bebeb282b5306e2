import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appEventSchema } from "../../../commands/app-events/app-event-schema.ts";
import { shapeValidator } from "../../../commands/ingest/item-validation.ts";
import type { Fault } from "../../../domain/fault.ts";

const faultOf = shapeValidator(appEventSchema);
const device = { id: "phone" };
const opened = { eventId: "1", eventTimestamp: 0, category: "app_open", device };

const limits = suite("length limits of an app event");

/** Each row: the field, its maximum length, and fields of an event in which it is a given text. */
const rows: readonly (readonly [string, number, (text: string) => object])[] = [
  ["eventId", 64, (eventId) => ({ eventId })],
  ["eventTimestamp", 64, (eventTimestamp) => ({ eventTimestamp })],
  ["action", 1_024, (action) => ({ action })],
  ["label", 1_024, (label) => ({ label })],
  ["currency", 64, (currency) => ({ currency })],
  ["device.id", 128, (id) => ({ device: { id } })],
  ...["gaid", "idfa", "idfv"].map(
    (key) => [`device.${key}`, 128, (text: string) => ({ device: { ...device, [key]: text } })] as const,
  ),
  ["user.externalUserId", 256, (externalUserId) => ({ user: { externalUserId } })],
  ["user.partnerDeviceId", 256, (partnerDeviceId) => ({ user: { partnerDeviceId } })],
  ["referrer.clickId", 1_024, (clickId) => ({ referrer: { clickId } })],
  ["referrer.installReferrer", 8_192, (installReferrer) => ({ referrer: { installReferrer } })],
  ["referrer.deeplinkUrl", 8_192, (deeplinkUrl) => ({ referrer: { deeplinkUrl } })],
];

for (const [field, max, fields] of rows) {
  limits(`${field}: up to ${max} characters`, () => {
    const faulty = [max - 1, max, max + 1].map((length) => faultOf({ ...opened, ...fields("😀".repeat(length)) }));
    assert.equal(
      faulty.map((fault) => fault?.params?.field ?? null),
      [null, null, field],
    );
  });
}

const choices = suite("choices of an app event");

choices("are named by the fault of another one, without the empty text", () => {
  const fault = faultOf({ ...opened, device: { ...device, os: "android" } });
  assert.equal((fault?.params?.fault as Fault | undefined)?.params?.values, ["Android", "iOS", "Web"]);
});

limits.run();
choices.run();
