import { DateTime } from "luxon";
import { builtInChannel } from "../../../domain/channels/built-in.ts";
import type { ReportAt } from "../../../projections/reports/query/query-context.ts";
import type { AppEvent, ChannelFlag } from "./facts.ts";

type Requested = Pick<ReportAt<"revenue" | "retention">, "query" | "timezone" | "now">;

/** Whether an event belongs to a self-attributing channel. Months of these are small in generated histories. */
export function isWithheld({ label }: AppEvent, flags: readonly ChannelFlag[], position: bigint | number): boolean {
  const channel = label?.source.channel ?? "";
  const flag = flags.find((one) => one.channel === channel && isInForce(one, position));
  return flag?.selfAttributing ?? builtInChannel(channel)?.selfAttributing ?? false;
}

/** Whether fully masked rows show this group-by (contract/reports.md#masking). */
export function isShownWhenMasked(groupBy = ""): boolean {
  return ["channel", "channel_type", "event_year", "event_month"].includes(groupBy);
}

export function isInForce(
  { from, to }: { readonly from: number | null; readonly to: number | null },
  position: bigint | number,
): boolean {
  return from !== null && from <= position && (to === null || to > position);
}

/** Nulls come last in both directions. */
export function compareValues(a: string | number | null, b: string | number | null, direction: 1 | -1 = 1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "number" && typeof b === "number") return Math.sign(a - b) * direction;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b))) * direction;
}

/** The first difference between values, one by one. */
export function compareLists(one: readonly (string | null)[], other: readonly (string | null)[]): number {
  return one.map((value, index) => compareValues(value, other[index] ?? null)).find((order) => order !== 0) ?? 0;
}

export function timeOf({ at = "" }: AppEvent): number {
  return Date.parse(at);
}

export function instantOf({ at = "" }: AppEvent, zone: string): DateTime {
  return DateTime.fromISO(at, { zone });
}

/** Where a clock skips midnight, the day begins when the skipped time is over. */
export function startOfDate(date: string, zone: string): DateTime {
  return DateTime.fromISO(date, { zone }).startOf("day");
}

export function unitsBetween(start: AppEvent, end: AppEvent, { query: { granularity }, timezone }: Requested): number {
  return units(granularity, instantOf(start, timezone), instantOf(end, timezone));
}

export function begun(start: DateTime | Date, { query: { granularity }, timezone, now }: Requested): number {
  const from = start instanceof Date ? DateTime.fromJSDate(start, { zone: timezone }) : start;
  const last = { day: 184, week: 27, month: 13, hour: 168, minute: 180 }[granularity];
  return Math.min(last, units(granularity, from, DateTime.fromJSDate(now, { zone: timezone }))) + 1;
}

function units(granularity: Requested["query"]["granularity"], start: DateTime, end: DateTime): number {
  const [from, to] = [start, end].map((at) => DateTime.fromISO(at.toISODate() ?? "", { zone: "UTC" }));
  const days = to?.diff(from ?? to, "days").days ?? 0;
  switch (granularity) {
    case "day":
      return days;
    case "week":
      return Math.floor(days / 7);
    case "month": {
      let months = 0;
      while (from !== undefined && to !== undefined && from.plus({ months: months + 1 }) <= to) months += 1;
      return months;
    }
    case "hour":
      return Math.floor(end.diff(start, "hours").hours);
    case "minute":
      return Math.floor(end.diff(start, "minutes").minutes);
  }
}

/** Starts of the blocks that were looked at, by what they follow from. */
const knownStarts = new Map<string, DateTime[]>();

/** The block of the range that a moment is in, and its start: found by walking from block to block. */
export function blockOf(
  at: DateTime,
  { query: { from, granularity }, timezone }: Requested,
): readonly [number, DateTime] {
  const key = [from, granularity, timezone].join(" ");
  const starts = knownStarts.get(key) ?? [];
  knownStarts.set(key, starts);
  const first = startOfDate(from, timezone);
  const findStart = (index: number): DateTime =>
    granularity === "hour" || granularity === "minute"
      ? first.plus({ [granularity]: index })
      : startOfDate(
          DateTime.fromISO(from, { zone: "UTC" })
            .plus({ [granularity]: index })
            .toISODate() ?? "",
          timezone,
        );
  const startOf = (index: number): DateTime => {
    starts[index] ??= findStart(index);
    return starts[index];
  };
  let index = 0;
  while (startOf(index + 1) <= at) index += 1;
  return [index, startOf(index)];
}

/** Whether an event is one of some return events (contract/reports.md#return-events). */
export function isReturn({ category, isFirstOfDevice }: AppEvent, returnEvents: readonly string[]): boolean {
  return returnEvents.some((key) => {
    if (key === "app_events") return true;
    if (key === "app_opens") return category === "app_open";
    if (key === "app_first_order_complete") return category === "app_order_complete" && isFirstOfDevice;
    return category === key;
  });
}
