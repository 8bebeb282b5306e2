import { addDays, type LocalDate } from "../values/local-time.ts";

/** The limits by which data of a self-attributing network are withheld (contract/reports.md#masking). */
export const maskingLimits = { impressions: 1_000, installs: 100, days: 175 } as const;

/** The group-bys that fully masked rows show. */
export const withheldGroupBys: readonly string[] = ["channel", "channel_type", "event_year", "event_month"];

/** Local dates, both inclusive. */
export interface DateRange {
  readonly from: LocalDate;
  readonly to: LocalDate;
}

/** Why a network's user-level data are masked: too few people in the month, or too old. */
export type MaskingReason = "small_month" | "older_than_175_days";

/** Dates of a channel whose user-level data are masked in every cell. */
export interface MaskedRange extends DateRange {
  readonly channel: string;
  readonly reason: MaskingReason;
}

/** The counts of a channel in a whole calendar month of the app's time zone; uploaded impressions count too. */
export interface ChannelMonth {
  readonly channel: string;
  /** `YYYY-MM`. */
  readonly month: string;
  readonly impressions: number;
  readonly installs: number;
}

/** Whether a month of a channel is masked because it has so few people: at most 1,000 impressions or 100 installs. */
export function isSmall({ impressions, installs }: Pick<ChannelMonth, "impressions" | "installs">): boolean {
  return impressions <= maskingLimits.impressions || installs <= maskingLimits.installs;
}

/** The first date that is not too old on a date: 175 days before it. */
export function oldestShown(today: LocalDate): LocalDate {
  return addDays(today, -maskingLimits.days);
}

/** The part of a range whose months matter, because it is not too old; null when all of it is. */
export function unexpiredPart({ from, to }: DateRange, today: LocalDate): DateRange | null {
  const oldest = oldestShown(today);
  if (to < oldest) return null;
  return { from: from < oldest ? oldest : from, to };
}

/** The whole calendar months that overlap a range, in order. */
export function monthsOf({ from, to }: DateRange): readonly (DateRange & { readonly month: string })[] {
  const months: (DateRange & { readonly month: string })[] = [];
  for (let first = `${from.slice(0, 7)}-01`; first <= to; first = addDays(lastOfMonth(first), 1)) {
    months.push({ month: first.slice(0, 7), from: first, to: lastOfMonth(first) });
  }
  return months;
}

/**
 * The masked ranges of some dates (contract/reports.md#masking), by channel and date, without overlaps: for each
 * channel first the dates that are too old, then its small months.
 * @param channels self-attributing ones, each once
 * @param counted their months; a missing one had no facts
 * @param today the app's local date of the report's 'now'
 */
export function findMaskedRanges(
  channels: readonly string[],
  counted: readonly ChannelMonth[],
  range: DateRange,
  today: LocalDate,
): readonly MaskedRange[] {
  const young = unexpiredPart(range, today);
  const dayBefore = addDays(oldestShown(today), -1);
  const old = clipped({ from: range.from, to: dayBefore }, range);
  const months = young === null ? [] : monthsOf(young).map((month) => ({ ...month, ...clipped(month, young) }));
  const large = new Set(counted.filter((month) => !isSmall(month)).map(keyOf));
  return [...channels]
    .sort()
    .flatMap((channel): readonly MaskedRange[] => [
      ...(old.from <= old.to ? [{ channel, ...old, reason: "older_than_175_days" as const }] : []),
      ...months
        .filter(({ month }) => !large.has(keyOf({ channel, month })))
        .map(({ from, to }) => ({ channel, from, to, reason: "small_month" as const })),
    ]);
}

function keyOf({ channel, month }: Pick<ChannelMonth, "channel" | "month">): string {
  return `${month} ${channel}`;
}

/** The part of a range within another; `from` is after `to` if they do not overlap. */
export function clipped({ from, to }: DateRange, within: DateRange): DateRange {
  return { from: from < within.from ? within.from : from, to: to > within.to ? within.to : to };
}

function lastOfMonth(date: LocalDate): LocalDate {
  const inTheNext = addDays(`${date.slice(0, 7)}-01`, 31);
  return addDays(`${inTheNext.slice(0, 7)}-01`, -1);
}
