import { assertNever } from "../decider.ts";
import { hourMs, minuteMs } from "../values/instants.ts";
import { addDays, addMonths, daysBetween, type LocalDate, localDate, startOfDay } from "../values/local-time.ts";

/** Units that reports count time in (contract/reports.md#retention). */
export const granularities = ["day", "week", "month", "hour", "minute"] as const;

export type Granularity = (typeof granularities)[number];

/** Whether units are elapsed time, shorter than a date, instead of dates. */
export function isElapsed(granularity: Granularity): boolean {
  return granularity === "hour" || granularity === "minute";
}

/** A moment of an app: its local date, and the instant (epoch milliseconds). */
export interface Moment {
  readonly date: LocalDate;
  readonly instant: number;
}

/** The highest number of an interval after a start (contract/reports.md#intervals). */
export const lastInterval: Readonly<Record<Granularity, number>> = {
  day: 184,
  week: 27,
  month: 13,
  hour: 168,
  minute: 180,
};

/**
 * Whole units from one moment to a later one (contract/reports.md#intervals): days between the local dates, 7 of those,
 * months to the same day clamped at the month's end (Jan 31 to Feb 28 is one), or elapsed hours or minutes.
 */
export function unitsBetween(granularity: Granularity, from: Moment, to: Moment): number {
  switch (granularity) {
    case "day":
      return daysBetween(from.date, to.date);
    case "week":
      return Math.floor(daysBetween(from.date, to.date) / 7);
    case "month":
      return monthsBetween(from.date, to.date);
    case "hour":
      return Math.floor((to.instant - from.instant) / hourMs);
    case "minute":
      return Math.floor((to.instant - from.instant) / minuteMs);
    default:
      return assertNever(granularity);
  }
}

/** The first moment of a date in a time zone. */
export function beginningOf(date: LocalDate, timezone: string): Moment {
  return { date, instant: startOfDay(timezone, date) };
}

/**
 * The first moment of the block `index` of a range that begins with the date `from`: dates, 7-day or same-day blocks,
 * hours or minutes (contract/reports.md#retention, contract/reports.md#active-users). Its date only matters to days,
 * weeks and months, its instant to hours and minutes.
 */
export function blockStart(granularity: Granularity, from: LocalDate, index: number, timezone: string): Moment {
  switch (granularity) {
    case "day":
      return beginningOf(addDays(from, index), timezone);
    case "week":
      return beginningOf(addDays(from, 7 * index), timezone);
    case "month":
      return beginningOf(addMonths(from, index), timezone);
    case "hour":
      return { date: from, instant: startOfDay(timezone, from) + index * hourMs };
    case "minute":
      return { date: from, instant: startOfDay(timezone, from) + index * minuteMs };
    default:
      return assertNever(granularity);
  }
}

/**
 * How many intervals have begun by `now` for starts at a moment: 0 to N, N at most `lastInterval`
 * (contract/reports.md#intervals).
 */
export function intervalsBegun(granularity: Granularity, start: Moment, now: Moment): number {
  return Math.max(0, Math.min(unitsBetween(granularity, start, now), lastInterval[granularity]) + 1);
}

/**
 * The last date on which a return can fall into the last interval of a start (contract/reports.md#intervals).
 */
function lastReturnDate(granularity: Granularity, start: LocalDate): LocalDate {
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

/** A moment by its instant, with its local date in a time zone. */
export function momentOf(instant: Date, timezone: string): Moment {
  return { date: localDate(timezone, instant.getTime()), instant: instant.getTime() };
}

/** The local dates of returns to the starts of a range, until now at most. */
export function returnDates(
  { granularity, from, to }: { readonly granularity: Granularity; readonly from: LocalDate; readonly to: LocalDate },
  now: Moment,
): { readonly from: LocalDate; readonly to: LocalDate } {
  const last = lastReturnDate(granularity, to);
  const hasEnded = last < now.date;
  return { from, to: hasEnded ? last : now.date };
}

/**
 * How many blocks, counted from the start of a range, have begun an interval. Found by binary search, as a range can have
 * 132,480 minutes.
 */
export function blocksBegun(
  interval: number,
  granularity: Granularity,
  now: Moment,
  startOf: (block: number) => Moment,
) {
  const hasBegun = (block: number): boolean => intervalsBegun(granularity, startOf(block), now) > interval;
  if (!hasBegun(0)) return 0;
  let begun = 0;
  let unbegun = 1;
  while (hasBegun(unbegun)) {
    begun = unbegun;
    unbegun *= 2;
  }
  while (unbegun - begun > 1) {
    const middle = Math.floor((begun + unbegun) / 2);
    if (hasBegun(middle)) begun = middle;
    else unbegun = middle;
  }
  return unbegun;
}

function monthsBetween(from: LocalDate, to: LocalDate): number {
  const [fromYear = 0, fromMonth = 0] = from.split("-").map(Number);
  const [toYear = 0, toMonth = 0] = to.split("-").map(Number);
  const months = (toYear - fromYear) * 12 + toMonth - fromMonth;
  return addMonths(from, months) > to ? months - 1 : months;
}
