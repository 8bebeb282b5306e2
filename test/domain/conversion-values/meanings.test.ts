import { suite } from "uvu";
import * as assert from "uvu/assert";
import { modelOf } from "../../../commands/conversion-values/model-schema.ts";
import { decodeValue, shownModel } from "../../../domain/conversion-values/meanings.ts";
import { type ModelBody, skan4 } from "../../examples/conversion-values.ts";

const written = (body: ModelBody) => modelOf(body as Parameters<typeof modelOf>[0]);

const decoding = suite("decoding a conversion value");

decoding("returns its meaning on that postback", () => {
  const model = written(skan4);
  const values = { minAmount: "0", maxAmount: "10.5" };
  const orders = { eventName: "app_order_complete", measurementType: "revenue", values };
  assert.equal(decodeValue(model, 0, 37), { conversionValue: 37, isOverlapped: true, events: [orders] });
  assert.equal(decodeValue(model, 0, 0), { conversionValue: 0, isOverlapped: false, events: [] });
  assert.equal(decodeValue(model, 1, "low"), {
    conversionValue: "low",
    isOverlapped: null,
    events: [{ eventName: "app_open", measurementType: "retention", values: null }],
  });
  for (const [postback, value] of [
    [0, 36],
    [1, 37],
    [0, "high"],
    [2, "low"],
    [2, 0],
  ] as const) {
    assert.is(decodeValue(model, postback, value), null, `${value} on ${postback}`);
  }
});

const showing = suite("a model in responses");

showing("has amounts as numbers, and overlaps of fine values only", () => {
  const [first, second] = skan4.postbacks;
  const events = (all: readonly object[]) => all.map((event) => ({ values: null, ...event }));
  const shown = (schema: readonly { events: readonly object[] }[], isOverlappedAt: (index: number) => boolean | null) =>
    schema.map((value, index) => ({ ...value, isOverlapped: isOverlappedAt(index), events: events(value.events) }));
  const fine = { ...first.fine, schema: shown(first.fine.schema, (index) => index === 2 || index === 3) };
  const coarse = ({ schema }: { schema: readonly { events: readonly object[] }[] }) => ({
    schema: shown(schema, () => null),
  });
  assert.equal(JSON.parse(JSON.stringify(shownModel(written(skan4)))), {
    configType: "SKAN_4",
    postbacks: [
      { postbackSequenceIndex: 0, fine, coarse: coarse(first.coarse) },
      { postbackSequenceIndex: 1, fine: null, coarse: coarse(second.coarse) },
    ],
  });
});

decoding.run();
showing.run();
