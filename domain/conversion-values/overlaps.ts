import { millionths } from "./amounts.ts";
import type { AmountRange, MeasuredEvent, ValueMeaning } from "./events.ts";

/**
 * The fine values that overlap with another one of the schema (`is_overlapped`, contract/conversion-values.md#models):
 * both have ranges of the same event, under any measurement type, with a common amount.
 */
export function overlappedValues(schema: readonly ValueMeaning<number>[]): ReadonlySet<number> {
  const overlapped = new Set<number>();
  for (const [index, one] of schema.entries()) {
    for (const other of schema.slice(index + 1)) {
      if (!valuesOverlap(one, other)) continue;
      overlapped.add(one.conversionValue);
      overlapped.add(other.conversionValue);
    }
  }
  return overlapped;
}

/** Whether two fine values overlap; symmetric. */
export function valuesOverlap(one: ValueMeaning<number>, other: ValueMeaning<number>): boolean {
  return one.events.some((event) => other.events.some((candidate) => eventsOverlap(event, candidate)));
}

function eventsOverlap(one: MeasuredEvent, other: MeasuredEvent): boolean {
  if (one.eventName !== other.eventName) return false;
  return one.values !== null && other.values !== null && rangesOverlap(one.values, other.values);
}

/** Whether two ranges have an amount in common (contract/conversion-values.md#models); the end is exclusive. */
function rangesOverlap(one: AmountRange, other: AmountRange): boolean {
  const [oneMin, oneMax] = limitsOf(one);
  const [otherMin, otherMax] = limitsOf(other);
  return oneMin < otherMax && otherMin < oneMax;
}

function limitsOf({ minAmount, maxAmount: end }: AmountRange): readonly [number, number] {
  return [millionths(minAmount) ?? 0, millionths(end) ?? 0];
}
