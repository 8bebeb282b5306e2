import { assertNever } from "../../decider.ts";
import { decimalTextOf, type ExactDecimal, exactDecimal, quotientText } from "../../values/decimals.ts";
import type { CohortSize, Interval, Returned } from "./cohort-sums.ts";
import type { RevenueQuery } from "./query.ts";

/** A cell in a response: a number literal of JSON, or null without a value. */
export interface ShownValue {
  readonly value: string | null;
  /** Whether facts are excluded from the value (contract/reports.md#masking, contract/money.md#conversion). */
  readonly isMasked: boolean;
}

/** The value of a metric in an interval (contract/reports.md#revenue); null: the interval has not begun. */
export function shownOf(metric: RevenueQuery["metric"], interval: Interval | null): ShownValue {
  if (interval === null) return { value: null, isMasked: false };
  const { returned, of } = interval;
  const revenue = revenueOf(returned, of);
  switch (metric) {
    case "app_revenue":
      return revenue;
    case "app_user_count":
    case "app_event_count":
      return countOf(returned.counted, returned.maskedReturns + of.maskedStarts > 0);
    case "app_arpu":
      return ratio(revenue, countOf(of.users, false));
    case "app_arppu":
      return ratio(revenue, countOf(returned.counted, false));
    case "app_roas":
      return ratio(revenue, costOf(of), 100n);
    default:
      return assertNever(metric);
  }
}

/** The revenue of returns; no value if amounts are excluded and no other is left. */
export function revenueOf({ revenue, amounts, excludedAmounts }: Returned, { maskedStarts }: CohortSize): ShownValue {
  return shownValue(revenue, excludedAmounts + maskedStarts > 0, amounts === 0);
}

/** The cost of a cohort: no value without spend, 0 for spend of 0. */
export function costOf({ cost, spendRows, unconvertedSpend }: CohortSize): ShownValue {
  if (spendRows === 0) return { value: null, isMasked: false };
  return shownValue(cost, unconvertedSpend > 0, spendRows === unconvertedSpend);
}

/** The number of devices of a cohort; no value if starts are masked and no other is left. */
export function usersOf({ users, maskedStarts }: CohortSize): ShownValue {
  return countOf(users, maskedStarts > 0);
}

function countOf(count: number, isMasked: boolean): ShownValue {
  return shownValue({ units: BigInt(count), scale: 0 }, isMasked, count === 0);
}

function shownValue(amount: ExactDecimal, isMasked: boolean, isEmpty: boolean): ShownValue {
  return { value: isMasked && isEmpty ? null : decimalTextOf(amount), isMasked };
}

/** The ratio of two values without masked facts. */
function ratio(upper: ShownValue, lower: ShownValue, times = 1n): ShownValue {
  const isMasked = upper.isMasked || lower.isMasked;
  if (upper.value === null || lower.value === null) return { value: null, isMasked };
  const { units, scale } = exactDecimal(upper.value);
  return { value: quotientText({ units: units * times, scale }, exactDecimal(lower.value)), isMasked };
}
