import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { roundedProbability } from "../../../domain/prediction/probability.ts";

const examples = suite("a probability as it is answered");

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
for (const [given, answered] of rounded) {
  examples(`${given} is ${answered}`, () => assert.is(roundedProbability(Math.fround(given)), answered));
}

examples("is that of the shortest text, not of the exact value below it", () => {
  const exact = Math.fround(0.1235);
  assert.is(exact < 0.1235, true);
  assert.is(roundedProbability(exact), 0.124);
});

examples.run();

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

properties("is what exact arithmetic says, with at most 3 decimals", () => {
  fc.assert(
    fc.property(anyProbability, (float32) => {
      const answered = roundedProbability(float32);
      assert.is(answered, Number(thousandths(shortest(float32))) / 1_000);
      assert.match(JSON.stringify(answered), /^(?:0|1|0\.\d{1,3})$/);
    }),
    { numRuns: 5_000 },
  );
});

properties.run();
