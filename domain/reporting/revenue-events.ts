import { assertNever } from "../decider.ts";
import { addDays, addMonths, type LocalDate } from "../local-time.ts";
import type { RevenueQuery } from "../report-tasks/events.ts";
import { type Granularity, lastInterval } from "./granularity.ts";

/** The category that orders are of. */
export const orders = "app_order_complete";

/** Which app events are returns (D7.4, D7.11). */
export interface ReturnedEvents {
  readonly categories: readonly string[];
  /** Of orders, only the first of each device. */
  readonly onlyFirstOrders: boolean;
}

/** The app events that return events stand for, each one once. */
export function returnedEvents(returnEvents: RevenueQuery["returnEvents"]): ReturnedEvents {
  const named = returnEvents.map((event) => (event === "app_first_order_complete" ? orders : event));
  return { categories: [...new Set(named)], onlyFirstOrders: named.includes(orders) && !returnEvents.includes(orders) };
}

/** A date after which nothing comes back in the last interval of what started on a date (D7.9). */
export function lastReturnDate(granularity: Granularity, start: LocalDate): LocalDate {
  const units = lastInterval[granularity] + 1;
  switch (granularity) {
    case "day":
      return addDays(start, units);
    case "week":
      return addDays(start, 7 * units);
    case "month":
      return addMonths(start, units);
    case "hour":
      return addDays(start, Math.ceil(units / 24) + 1);
    case "minute":
      return addDays(start, Math.ceil(units / 1_440) + 1);
    default:
      return assertNever(granularity);
  }
}
