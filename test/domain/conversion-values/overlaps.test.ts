import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { modelOf } from "../../../commands/conversion-values/model-schema.ts";
import type { ValueMeaning } from "../../../domain/conversion-values/events.ts";
import { overlappedValues, valuesOverlap } from "../../../domain/conversion-values/overlaps.ts";
import { anyModel, type ModelBody } from "../../examples/conversion-values.ts";

const written = (body: ModelBody) => modelOf(body as Parameters<typeof modelOf>[0]);
const range = (minAmount: string, maxAmount: string) => ({ minAmount, maxAmount });
const meaning = (conversionValue: number, ...events: ValueMeaning<number>["events"]): ValueMeaning<number> => ({
  conversionValue,
  events,
});
const order = (minAmount: string, maxAmount: string) =>
  ({ eventName: "app_order_complete", measurementType: "revenue", values: range(minAmount, maxAmount) }) as const;

type Range = ReturnType<typeof range>;
const rangesOverlap = (one: Range, other: Range): boolean =>
  valuesOverlap(meaning(1, order(one.minAmount, one.maxAmount)), meaning(2, order(other.minAmount, other.maxAmount)));

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

overlap.run();
