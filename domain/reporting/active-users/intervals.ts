import { hourMs, minuteMs } from "../../values/instants.ts";
import { addDays, type LocalDate, localDate, startOfDay, zonedTimestamp } from "../../values/local-time.ts";
import { blockStart, type Granularity, unitsBetween } from "../granularity.ts";
import type { ActiveUsersQuery } from "./query.ts";

/**
 * The intervals of an active users report: all of its range, with or without events (contract/reports.md#active-users).
 */
export interface Intervals {
  readonly count: number;
  /** An interval by its number from 0: `start/end`, ISO timestamps with the zone's offset, the end exclusive. */
  textOf(index: number): string;
  /** The first and the last local date that an interval by its number lies on. */
  datesOf(index: number): { readonly from: LocalDate; readonly to: LocalDate };
  /** The number of an interval by its text, or only the first part of it; null: there is no such interval. */
  numberOf(text: string): number | null;
}

/**
 * The intervals from the first moment of `from` to the first moment after `to`, at which the last one ends even if it
 * is shorter than the others then: 7-day weeks, same-day months.
 */
export function intervalsOf(
  { from, to, granularity }: Pick<ActiveUsersQuery, "from" | "to" | "granularity">,
  timezone: string,
): Intervals {
  const end = { date: addDays(to, 1), instant: startOfDay(timezone, addDays(to, 1)) };
  const first = blockStart(granularity, from, 0, timezone);
  const whole = unitsBetween(granularity, first, end);
  const startOf = (index: number): number => {
    const length = unitMs[granularity];
    return length === null ? blockStart(granularity, from, index, timezone).instant : first.instant + index * length;
  };
  const count = startOf(whole) < end.instant ? whole + 1 : whole;
  const endOf = (index: number): number => (index + 1 < count ? startOf(index + 1) : end.instant);
  const textOf = (index: number): string =>
    `${zonedTimestamp(timezone, startOf(index))}/${zonedTimestamp(timezone, endOf(index))}`;
  return {
    count,
    textOf,
    datesOf: (index) => ({ from: localDate(timezone, startOf(index)), to: localDate(timezone, endOf(index) - 1) }),
    numberOf: (text) => {
      const instant = Date.parse(text.split("/")[0] ?? "");
      if (!(instant >= first.instant && instant < end.instant)) return null;
      const number = unitsBetween(granularity, first, { date: localDate(timezone, instant), instant });
      return `${textOf(number)}/`.startsWith(`${text}/`) ? number : null;
    },
  };
}

/** Milliseconds of units of constant length; null for units of whole days. */
const unitMs: Readonly<Record<Granularity, number | null>> = {
  day: null,
  week: null,
  month: null,
  hour: hourMs,
  minute: minuteMs,
};
