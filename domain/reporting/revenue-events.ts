import { assertNever } from "../decider.ts";
import { addDays, addMonths, type LocalDate } from "../local-time.ts";
import type { RevenueQuery } from "../report-tasks/events.ts";
import { type Granularity, lastInterval } from "./granularity.ts";
import type { EventSelection } from "./metric.ts";

/** The app events that return events stand for, each in one of them (D7.4, D7.11). */
export function returnedEvents(returnEvents: RevenueQuery["returnEvents"]): readonly EventSelection[] {
  const plain = returnEvents.filter((event) => event !== "app_first_order_complete");
  const isFirstAlone = plain.length < returnEvents.length && !plain.includes("app_order_complete");
  return [
    ...(plain.length === 0 ? [] : [{ categories: plain }]),
    ...(isFirstAlone ? [{ categories: ["app_order_complete"], first: true }] : []),
  ];
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
