import type { Tier } from "./events.ts";

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
