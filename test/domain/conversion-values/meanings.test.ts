import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { modelOf } from "../../../commands/conversion-values/model-schema.ts";
import { millionths, rangesOverlap } from "../../../domain/conversion-values/amounts.ts";
import type { ValueMeaning } from "../../../domain/conversion-values/events.ts";
import {
  decodeValue,
  overlappedValues,
  shownModel,
  valuesOverlap,
} from "../../../domain/conversion-values/meanings.ts";
import { anyModel, type ModelBody, skan4 } from "../../examples/conversion-values.ts";

const written = (body: ModelBody) => modelOf(body as Parameters<typeof modelOf>[0]);
const range = (minAmount: string, maxAmount: string) => ({ minAmount, maxAmount });
const meaning = (conversionValue: number, ...events: ValueMeaning<number>["events"]): ValueMeaning<number> => ({
  conversionValue,
  events,
});
const order = (minAmount: string, maxAmount: string) =>
  ({ eventName: "app_order_complete", measurementType: "revenue", values: range(minAmount, maxAmount) }) as const;

const overlap = suite("overlapping fine values");

overlap("counts a range's start and not its end", () => {
  assert.is(rangesOverlap(range("0", "10"), range("10", "20")), false);
  assert.is(rangesOverlap(range("0", "10.000001"), range("10", "20")), true);
  assert.is(rangesOverlap(range("5", "6"), range("0", "100")), true);
  assert.is(rangesOverlap(range("9", "10"), range("10", "11")), false);
  assert.is(rangesOverlap(range("0.1", "0.3"), range("0.3", "0.4")), false);
});

overlap("is of one event with a range, however measured", () => {
  const one = meaning(1, order("0", "10"));
  const overlaps = (other: ValueMeaning<number>): boolean => valuesOverlap(one, other);
  assert.is(overlaps(meaning(2, order("5", "15"))), true);
  assert.is(overlaps(meaning(2, { ...order("5", "15"), eventName: "app_subscribe" })), false);
  assert.is(overlaps(meaning(2, { ...order("5", "15"), measurementType: "engagement" })), true);
  assert.is(overlaps(meaning(2, { ...order("5", "15"), values: null })), false);
  assert.is(overlaps(meaning(2)), false);
  const schema = [one, meaning(2, order("9", "20")), meaning(3, order("20", "30"))];
  assert.equal(overlappedValues(schema), new Set([1, 2]));
});

overlap("is symmetric, and reported for every value of any model", () => {
  fc.assert(
    fc.property(anyModel, (body) => {
      const schema = written(body).postbacks.flatMap(({ fine }) => fine?.schema ?? []);
      const overlapped = overlappedValues(schema);
      for (const one of schema) {
        const others = schema.filter((other) => other !== one);
        for (const other of others) assert.is(valuesOverlap(one, other), valuesOverlap(other, one));
        assert.is(
          overlapped.has(one.conversionValue),
          others.some((other) => valuesOverlap(one, other)),
        );
      }
      assert.equal(overlappedValues([...schema].reverse()), overlapped);
    }),
  );
});

overlap("is that of the amounts which both ranges hold", () => {
  const amount = fc.integer({ min: 0, max: 40 });
  const bounds = fc
    .tuple(amount, fc.integer({ min: 1, max: 10 }))
    .map(([from, length]) => [from, from + length] as const);
  fc.assert(
    fc.property(bounds, bounds, ([a, b], [c, d]) => {
      const shared = Array.from({ length: 60 }, (_, cents) => cents).some(
        (it) => a <= it && it < b && c <= it && it < d,
      );
      const text = (cents: number): string => String(cents / 100);
      assert.is(rangesOverlap(range(text(a), text(b)), range(text(c), text(d))), shared);
    }),
  );
});

const amounts = suite("amounts of ranges");

amounts("are whole millionths from 0 to a billion", () => {
  const known: readonly (readonly [string, number | null])[] = [
    ["0", 0],
    ["0.000001", 1],
    ["12.5", 12_500_000],
    ["1000000000", 10 ** 15],
    ["999999999.999999", 10 ** 15 - 1],
    ["1000000000.000001", null],
    ["0.0000001", null],
    ["-1", null],
    ["1e3", null],
    ["", null],
    ["NaN", null],
  ];
  for (const [text, expected] of known) assert.is(millionths(text), expected, text);
});

const decoding = suite("decoding a conversion value");

decoding("returns its meaning on that postback", () => {
  const model = written(skan4);
  const orders = { ...order("0", "10.5") };
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

overlap.run();
amounts.run();
decoding.run();
showing.run();
