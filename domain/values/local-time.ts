import { dayMs, hourMs, minuteMs, quarterHourMs } from "./instants.ts";

const offsets = new Map<string, Map<number, number>>();
const formatters = new Map<string, Intl.DateTimeFormat>();
/** Of all zones together. */
const maxCachedQuarters = 100_000;
let cachedQuarters = 0;
const startsOfDays = new Map<string, number>();
const maxCachedDays = 10_000;

/** `YYYY-MM-DD` of a calendar, not of an instant. */
export type LocalDate = string;

/** The earliest date of uploaded rows, exchange rates and reports (contract/limits.md#reports, contract/uploads.md#values). */
export const earliestDate: LocalDate = "2000-01-01";

export interface LocalTime {
  readonly date: LocalDate;
  /** 0 to 23. */
  readonly hour: number;
}

/**
 * Milliseconds by which a zone is ahead of UTC at an instant. Cached by quarter hour: since 2012 only Antarctica/Casey has
 * changed its offset at any other time, last in 2022.
 */
export function zoneOffset(timezone: string, instant: number): number {
  const quarter = Math.floor(instant / quarterHourMs);
  const known = offsets.get(timezone)?.get(quarter);
  if (known !== undefined) return known;
  const offset = computeOffset(timezone, quarter * quarterHourMs);
  if (cachedQuarters >= maxCachedQuarters) {
    offsets.clear();
    cachedQuarters = 0;
  }
  const ofZone = offsets.get(timezone) ?? new Map<number, number>();
  offsets.set(timezone, ofZone.set(quarter, offset));
  cachedQuarters += 1;
  return offset;
}

/** Local date and hour of an instant (epoch milliseconds) in a time zone (contract/reports.md#tasks). */
export function localTime(timezone: string, instant: number): LocalTime {
  const text = new Date(instant + zoneOffset(timezone, instant)).toISOString();
  return { date: text.slice(0, 10), hour: Number(text.slice(11, 13)) };
}

/** An instant (epoch milliseconds) as ISO 8601 with the zone's UTC offset: `2026-03-01T18:00:00.000+09:00`. */
export function zonedTimestamp(timezone: string, instant: number): string {
  const offset = zoneOffset(timezone, instant);
  return `${new Date(instant + offset).toISOString().slice(0, -1)}${offsetText(offset)}`;
}

/** A UTC offset (milliseconds) as in ISO 8601: `+09:00`. */
export function offsetText(offset: number): string {
  const minutes = Math.abs(offset) / minuteMs;
  const clock = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return `${offset < 0 ? "-" : "+"}${clock}`;
}

/** An instant (epoch milliseconds) as local time in whole seconds without an offset: `2026-03-01T18:00:00`. */
export function localDateTime(timezone: string, instant: number): string {
  return new Date(instant + zoneOffset(timezone, instant)).toISOString().slice(0, 19);
}

/** Local date of an instant (epoch milliseconds) in a time zone. */
export function localDate(timezone: string, instant: number): LocalDate {
  return localTime(timezone, instant).date;
}

/** The first instant (epoch milliseconds) of a local date: midnight, or later where the clocks skip midnight. */
export function startOfDay(timezone: string, date: LocalDate): number {
  const key = `${date} ${timezone}`;
  const known = startsOfDays.get(key);
  if (known !== undefined) return known;
  if (startsOfDays.size >= maxCachedDays) startsOfDays.clear();
  const instant = findStartOfDay(timezone, date);
  startsOfDays.set(key, instant);
  return instant;
}

function findStartOfDay(timezone: string, date: LocalDate): number {
  const latest = Date.parse(`${date}T00:00:00Z`) + 14 * hourMs;
  let instant = latest - 28 * hourMs;
  while (instant < latest && localDate(timezone, instant) < date) instant += quarterHourMs;
  return instant;
}

/** Adds days to a local date; a negative number subtracts. */
export function addDays(date: LocalDate, days: number): LocalDate {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** Adds months to a local date; limited to the last day of the month. */
export function addMonths(date: LocalDate, months: number): LocalDate {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  const lastDay = new Date(Date.UTC(year, month + months, 0));
  lastDay.setUTCDate(Math.min(day, lastDay.getUTCDate()));
  return lastDay.toISOString().slice(0, 10);
}

/** Days from one local date to another; negative if `to` is earlier. */
export function daysBetween(from: LocalDate, to: LocalDate): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs);
}

/** ISO day of the week: 1 is Monday, 7 Sunday. */
export function weekdayOf(date: LocalDate): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay() || 7;
}

/** Whether a text is a valid date `YYYY-MM-DD`. Year 0 is not, and Postgres refuses it. */
export function isLocalDate(text: string): boolean {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const instant = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text);
}

function computeOffset(timezone: string, instant: number): number {
  let formatter = formatters.get(timezone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formatters.set(timezone, formatter);
  }
  const parts: Record<string, number> = {};
  for (const { type, value } of formatter.formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - instant;
}

/** The calendar dimensions of reports for a local date; formats: see the report catalogue. */
export interface CalendarDay {
  readonly date: LocalDate;
  readonly year: string;
  readonly month: string;
  readonly week: string;
  readonly dayOfWeek: string;
}

/** Every date of an inclusive range. */
export function calendarDays(from: LocalDate, to: LocalDate): readonly CalendarDay[] {
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => calendarDay(addDays(from, index)));
}

function calendarDay(date: LocalDate): CalendarDay {
  const dayOfWeek = weekdayOf(date);
  return {
    date,
    year: date.slice(0, 4),
    month: date.slice(0, 7),
    week: addDays(date, 1 - dayOfWeek),
    dayOfWeek: String(dayOfWeek),
  };
}
