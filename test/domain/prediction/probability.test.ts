import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { roundedProbability, tierOf, validCutPoints } from "../../../domain/prediction/probability.ts";

const examples = suite("a rounded probability");

const rounded: readonly (readonly [number, number])[] = [
  [0.1235, 0.124],
  [0.0005, 0.001],
  [0.9995, 1],
  [0.1234, 0.123],
  [0.12349, 0.123],
  [0.00049999, 0],
  [0, 0],
  [1, 1],
  [0.5, 0.5],
  [0.999499, 0.999],
  [1e-7, 0],
  [1.4e-45, 0],
];
for (const [value, expected] of rounded) {
  examples(`${value} is ${expected}`, () => assert.is(roundedProbability(Math.fround(value)), expected));
}

examples("is that of the shortest decimal, not of the exact value below it", () => {
  const exact = Math.fround(0.1235);
  assert.is(exact < 0.1235, true);
  assert.is(roundedProbability(exact), 0.124);
});

/** An exact decimal: `digits` times ten to the power of minus `scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: bigint;
}

/** Float32s have at most 149 binary places: so many decimal places hold them, and what lies half-way, exactly. */
const places = 150n;
const one = 10n ** places;

/** A float32 in units of ten to the power of minus 150. */
function exactly(float32: number): bigint {
  let [value, shift] = [float32, 0n];
  while (!Number.isInteger(value)) {
    value *= 2;
    shift += 1n;
  }
  return (BigInt(value) * one) / 2n ** shift;
}

function neighbour(float32: number, step: 1 | -1): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, float32);
  view.setUint32(0, view.getUint32(0) + step);
  return view.getFloat32(0);
}

/** The shortest decimal that lies where everything is read as this float32, of those the one nearest to it. */
function shortest(float32: number): Decimal {
  const value = exactly(float32);
  const lowest = (value + exactly(neighbour(float32, -1))) / 2n;
  const highest = (value + exactly(neighbour(float32, 1))) / 2n;
  for (let scale = 0n; ; scale += 1n) {
    const unit = 10n ** (places - scale);
    const found = [value / unit, value / unit + 1n]
      .filter((digits) => lowest < digits * unit && digits * unit < highest)
      .sort((first, second) => (distance(first * unit, value) < distance(second * unit, value) ? -1 : 1));
    if (found[0] !== undefined) return { digits: found[0], scale };
  }
}

function distance(first: bigint, second: bigint): bigint {
  return first > second ? first - second : second - first;
}

/** Half up to thousandths, in whole numbers alone. */
function thousandths({ digits, scale }: Decimal): bigint {
  return (2n * digits * 1_000n + 10n ** scale) / (2n * 10n ** scale);
}

const anyProbability = fc.oneof(
  fc.float({ min: 0, max: 1, noNaN: true, minExcluded: true, maxExcluded: true }),
  fc.integer({ min: 1, max: 9_999 }).map((tenThousandths) => Math.fround(tenThousandths / 10_000)),
  fc.tuple(fc.integer({ min: 0, max: 999 }), fc.integer({ min: -3, max: 3 })).map(([whole, steps]) => {
    const half = Math.fround((whole + 0.5) / 1_000);
    return Array.from({ length: Math.abs(steps) }).reduce<number>(
      (value) => neighbour(value, steps < 0 ? -1 : 1),
      half,
    );
  }),
);

const properties = suite("every probability");

properties("equals exact arithmetic, with at most 3 decimals", () => {
  fc.assert(
    fc.property(anyProbability, (float32) => {
      const result = roundedProbability(float32);
      assert.is(result, Number(thousandths(shortest(float32))) / 1_000);
      assert.match(JSON.stringify(result), /^(?:0|1|0\.\d{1,3})$/);
    }),
    { numRuns: 5_000 },
  );
});

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

const tierProperties = suite("every tier");
const anyShare = fc.float({ min: 0, max: 1, noNaN: true });

tierProperties("is that of the bin by exact arithmetic", () => {
  fc.assert(
    fc.property(fc.array(anyShare, { minLength: 9, maxLength: 9 }), anyShare, fc.nat(9), (points, drawn, equal) => {
      const sorted = [...points].sort((one, other) => one - other);
      const probability = sorted[equal] ?? drawn;
      const bin = sorted.filter((point) => exactly(point) < exactly(probability)).length + 1;
      const tier = bin <= 3 ? "low" : bin <= 7 ? "medium" : "high";
      assert.is(tierOf(probability, validCutPoints(sorted) ?? []), tier);
    }),
  );
});

examples.run();
properties.run();
tiers.run();
valid.run();
tierProperties.run();
