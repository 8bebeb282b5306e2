import type { AmountRange } from "./events.ts";

/** Largest amount of a range. With 6 decimals it has 16 digits at most, which a double keeps exactly. */
export const maxAmount = 1_000_000_000;
const decimals = 6;

const shape = /^(\d{1,10})(?:\.(\d{1,6}))?$/;

/** An amount in millionths; null unless it is 0 to {@link maxAmount} with at most 6 decimals. */
export function millionths(amount: string): number | null {
  const [, whole, fraction = ""] = shape.exec(amount) ?? [];
  if (whole === undefined) return null;
  const value = Number(whole) * 10 ** decimals + Number(fraction.padEnd(decimals, "0"));
  return value <= maxAmount * 10 ** decimals ? value : null;
}

/** Whether two ranges have an amount in common (contract/conversion-values.md#models); the end is exclusive. */
export function rangesOverlap(one: AmountRange, other: AmountRange): boolean {
  const [oneMin, oneMax] = limitsOf(one);
  const [otherMin, otherMax] = limitsOf(other);
  return oneMin < otherMax && otherMin < oneMax;
}

function limitsOf({ minAmount, maxAmount: end }: AmountRange): readonly [number, number] {
  return [millionths(minAmount) ?? 0, millionths(end) ?? 0];
}
