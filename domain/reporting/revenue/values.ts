import { assertNever } from "../../decider.ts";
import { decimalTextOf, type ExactDecimal, exactDecimal, quotientText } from "../../values/decimals.ts";
import type { CohortSize, Interval, Returned } from "./cells.ts";
import type { RevenueQuery } from "./query.ts";

/** A cell as it is shown: a number literal of JSON, null where there is no value. */
export interface ShownValue {
  readonly value: string | null;
  /**
   * Something was left out of it (contract/reports.md#masking, contract/money.md#conversion): the value is what is
   * left.
   */
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
      return countOf(returned.counted, returned.lost + of.lostStarts > 0);
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

export function revenueOf({ revenue, amounts, lostAmounts }: Returned, { lostStarts }: CohortSize): ShownValue {
  return left(revenue, lostAmounts + lostStarts > 0, amounts === 0);
}

/** No spend, no cost; spend of 0 costs 0. */
export function costOf({ cost, spendRows, lostSpend }: CohortSize): ShownValue {
  return spendRows === 0 ? { value: null, isMasked: false } : left(cost, lostSpend > 0, spendRows === lostSpend);
}

export function usersOf({ users, lostStarts }: CohortSize): ShownValue {
  return countOf(users, lostStarts > 0);
}

function countOf(count: number, isMasked: boolean): ShownValue {
  return left({ units: BigInt(count), scale: 0 }, isMasked, count === 0);
}

function left(amount: ExactDecimal, isMasked: boolean, isEmpty: boolean): ShownValue {
  return { value: isMasked && isEmpty ? null : decimalTextOf(amount), isMasked };
}

/** What is left of the one in what is left of the other. */
function ratio(upper: ShownValue, lower: ShownValue, times = 1n): ShownValue {
  const isMasked = upper.isMasked || lower.isMasked;
  if (upper.value === null || lower.value === null) return { value: null, isMasked };
  const { units, scale } = exactDecimal(upper.value);
  return { value: quotientText({ units: units * times, scale }, exactDecimal(lower.value)), isMasked };
}
