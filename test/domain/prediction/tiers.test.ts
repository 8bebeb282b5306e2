import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { tierOf, validCutPoints } from "../../../domain/prediction/probability.ts";

const tenths = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const cutPoints = validCutPoints(tenths) ?? [];
const above = (value: number): number => Math.fround(value) + 2 ** -24;

const tiers = suite("the tier of a probability");

const expected: readonly (readonly [string, number, string])[] = [
  ["0", 0, "low"],
  ["a cut point itself belongs to the lower bin", Math.fround(0.2), "low"],
  ["q30 is low", Math.fround(0.3), "low"],
  ["just above q30 is medium", above(0.3), "medium"],
  ["q70 is medium", Math.fround(0.7), "medium"],
  ["just above q70 is high", above(0.7), "high"],
  ["1", 1, "high"],
];
for (const [what, probability, tier] of expected) tiers(what, () => assert.is(tierOf(probability, cutPoints), tier));

tiers("is that of the value before it is rounded", () => {
  const q70 = validCutPoints([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7004, 0.8, 0.9]) ?? [];
  assert.is(tierOf(Math.fround(0.70039), q70), "medium");
  assert.is(tierOf(Math.fround(0.70041), q70), "high");
});

const duplicated: readonly (readonly [string, readonly number[], number, string])[] = [
  ["all equal, the value among them", Array(9).fill(0.4), 0.4, "low"],
  ["all equal, the value above", Array(9).fill(0.4), 0.41, "high"],
  ["q30 to q70 equal to the value", [0.1, 0.2, 0.5, 0.5, 0.5, 0.5, 0.5, 0.8, 0.9], 0.5, "low"],
  ["q30 to q70 equal, the value above them", [0.1, 0.2, 0.5, 0.5, 0.5, 0.5, 0.5, 0.8, 0.9], 0.6, "high"],
];
for (const [what, points, probability, tier] of duplicated) {
  tiers(`cut points are duplicated, ${what}: the first matching bin`, () =>
    assert.is(tierOf(Math.fround(probability), validCutPoints(points) ?? []), tier),
  );
}

tiers.run();

const valid = suite("cut points");

valid("are rounded to float32", () => assert.equal(validCutPoints(tenths), tenths.map(Math.fround)));

const invalid: readonly (readonly [string, unknown])[] = [
  ["eight", tenths.slice(1)],
  ["ten", [...tenths, 1]],
  ["decreasing", [0.2, 0.1, ...tenths.slice(2)]],
  ["below 0", [-0.1, ...tenths.slice(1)]],
  ["above 1", [...tenths.slice(0, 8), 1.1]],
  ["a text", ["0.1", ...tenths.slice(1)]],
  ["NaN", [Number.NaN, ...tenths.slice(1)]],
  ["null", [null, ...tenths.slice(1)]],
  ["no list", { 0: 0.1 }],
  ["nothing", undefined],
];
for (const [what, value] of invalid) valid(`are not valid: ${what}`, () => assert.is(validCutPoints(value), null));

valid.run();

/** A float32 as the exact rational `[numerator, denominator]`. */
function rational(float32: number): readonly [bigint, bigint] {
  let [value, denominator] = [float32, 1n];
  while (!Number.isInteger(value)) {
    value *= 2;
    denominator *= 2n;
  }
  return [BigInt(value), denominator];
}

function isBelow(one: number, other: number): boolean {
  const [[a, b], [c, d]] = [rational(one), rational(other)];
  return a * d < c * b;
}

const properties = suite("every tier");
const anyShare = fc.float({ min: 0, max: 1, noNaN: true });

properties("is that of the bin that exact arithmetic finds", () => {
  fc.assert(
    fc.property(fc.array(anyShare, { minLength: 9, maxLength: 9 }), anyShare, fc.nat(9), (points, drawn, equal) => {
      const sorted = [...points].sort((one, other) => one - other);
      const probability = sorted[equal] ?? drawn;
      const bin = sorted.filter((point) => isBelow(point, probability)).length + 1;
      const tier = bin <= 3 ? "low" : bin <= 7 ? "medium" : "high";
      assert.is(tierOf(probability, validCutPoints(sorted) ?? []), tier);
    }),
  );
});

properties.run();
