import type { Tier } from "./events.ts";

/** Every decimal of so many digits reads back as itself from a float32; so many digits tell any two of them apart. */
const exactDigits = 6;
const sufficientDigits = 9;

/**
 * A probability as it is answered (contract/prediction.md#tiers): rounded half up at the fourth decimal of the shortest
 * decimal text that reads back as the same float32. At most 3 decimals: 0.1235f is 0.124, 0.0005f is 0.001, 0.9995f is
 * 1.
 * @param probability a float32 in 0..1
 */
export function roundedProbability(probability: number): number {
  const text = shortestText(probability);
  // Written with an exponent: below a millionth.
  if (text.includes("e")) return 0;
  const [whole = "0", decimals = ""] = text.split(".");
  const digits = decimals.padEnd(4, "0");
  const thousandths = Number(whole) * 1_000 + Number(digits.slice(0, 3));
  return (thousandths + (digits.charAt(3) >= "5" ? 1 : 0)) / 1_000;
}

/**
 * At a power of two the texts below it are closer together than those above, so that a longer text than needed could
 * come out; no power of two is near a half of a thousandth, where that would show.
 */
function shortestText(float32: number): string {
  for (let digits = exactDigits; digits < sufficientDigits; digits += 1) {
    const text = float32.toPrecision(digits);
    if (Math.fround(Number(text)) === float32) return text;
  }
  return float32.toPrecision(sufficientDigits);
}

const cutPointCount = 9;
const lastLowBin = 3;
const lastMediumBin = 7;

/**
 * The nine cut points of a model, each rounded to the float32 that it is compared as (contract/prediction.md#tiers);
 * null when they are not nine finite numbers in 0..1 that do not decrease.
 */
export function validCutPoints(value: unknown): readonly number[] | null {
  if (!Array.isArray(value) || value.length !== cutPointCount) return null;
  const isValid = value.every(
    (point, index) =>
      typeof point === "number" && point >= 0 && point <= 1 && (index === 0 || point >= Number(value[index - 1])),
  );
  return isValid ? value.map(Math.fround) : null;
}

/**
 * The tier of a probability that is not rounded yet (contract/prediction.md#tiers). A value equal to a cut point
 * belongs to the lower bin, to the first one where cut points are equal.
 * @param cutPoints as {@link validCutPoints} gives them
 */
export function tierOf(probability: number, cutPoints: readonly number[]): Tier {
  const bin = 1 + cutPoints.filter((point) => point < probability).length;
  if (bin <= lastLowBin) return "low";
  return bin <= lastMediumBin ? "medium" : "high";
}
