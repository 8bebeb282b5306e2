import type { Tier } from "./events.ts";

/** Any decimal of 6 digits survives a round trip through float32; 9 digits distinguish any two float32 values. */
const exactDigits = 6;
const sufficientDigits = 9;

/**
 * A probability with at most 3 decimals (contract/prediction.md#tiers): the shortest decimal text that reads back as
 * the same float32, rounded half up. 0.1235f is 0.124, 0.0005f is 0.001, 0.9995f is 1.
 * @param probability a float32 in 0..1
 */
export function roundedProbability(probability: number): number {
  const text = shortestText(probability);
  // The text has an exponent: the probability is below a millionth.
  if (text.includes("e")) return 0;
  const [whole = "0", decimals = ""] = text.split(".");
  const digits = decimals.padEnd(4, "0");
  const thousandths = Number(whole) * 1_000 + Number(digits.slice(0, 3));
  return (thousandths + (digits.charAt(3) >= "5" ? 1 : 0)) / 1_000;
}

/**
 * Just below a power of two the text can be longer than needed; no power of two is close enough to half a thousandth
 * for that to affect the rounding.
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
 * The nine cut points of a model as float32 (contract/prediction.md#tiers); null unless they are nine non-decreasing
 * numbers in 0..1.
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
 * The tier of an unrounded probability (contract/prediction.md#tiers). A value equal to a cut point belongs to the
 * lower bin, with equal cut points to the lowest.
 * @param cutPoints from {@link validCutPoints}
 */
export function tierOf(probability: number, cutPoints: readonly number[]): Tier {
  const bin = 1 + cutPoints.filter((point) => point < probability).length;
  if (bin <= lastLowBin) return "low";
  return bin <= lastMediumBin ? "medium" : "high";
}
