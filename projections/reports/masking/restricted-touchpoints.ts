import type { Knex } from "knex";
import { isSmall, type MaskedRange, monthsOf, oldestShown } from "../../../domain/reporting/masking.ts";
import { type LocalDate, localDate } from "../../../domain/values/local-time.ts";
import { selfAttributingAt } from "../../facts/dimensions/channel-flags.ts";
import { inForce } from "../../in-force.ts";
import type { ReadModel } from "../../projection.ts";
import { reportTransaction } from "../query/report-transaction.ts";
import { channelMonths as countedMonths } from "./count-channel-months.ts";
import { factTable } from "./fact-view.ts";
import { selectMaskedRanges } from "./masked-facts.ts";

/** A channel's calendar month in an app's time zone, at a log position. */
interface ChannelMonthAt {
  readonly appId: number;
  readonly channel: string;
  /** `YYYY-MM`. */
  readonly month: string;
  readonly position: bigint;
}

/** Whether a channel is a self-attributing network at a log position (contract/administration.md#channels). */
export async function isSelfAttributing(
  facts: ReadModel,
  { channel, position }: Pick<ChannelMonthAt, "channel" | "position">,
): Promise<boolean> {
  const isSelfAttributingAt = await selfAttributingAt(facts, new Set([channel]));
  return isSelfAttributingAt(channel, position);
}

/**
 * Whether a channel's month has so few facts at a log position that its data are masked (contract/reports.md#masking).
 */
export async function isSmallMonth(
  { db, schema }: ReadModel,
  { appId, channel, month, position }: ChannelMonthAt,
): Promise<boolean> {
  const [range] = monthsOf({ from: `${month}-01`, to: `${month}-01` });
  if (range === undefined) throw new RangeError(`${month} is no month`);
  const [counted] = await countedMonths(db, schema, { appId, position }, [channel], range);
  return counted === undefined || isSmall(counted);
}

/** The properties of a touchpoint that masking depends on (contract/reports.md#masking), and the date of the query. */
export interface RestrictionQuery {
  readonly appId: number;
  readonly channel: string;
  /** Of the touchpoint and of the event that it won, in the app's time zone. */
  readonly dates: readonly LocalDate[];
  /** Today's date in the app's time zone. */
  readonly today: LocalDate;
}

/** The data that masking depends on (contract/reports.md#masking): from a read model, or briefly cached. */
export interface ChannelMonths {
  isSelfAttributing(channel: string): Promise<boolean>;
  /** @param month `YYYY-MM` in the app's time zone */
  isSmallMonth(appId: number, channel: string, month: string): Promise<boolean>;
}

/**
 * Whether the data of a touchpoint are masked from everybody (contract/reports.md#masking): its channel is a
 * self-attributing network, and the month of one of its dates is a small one, or the date more than 175 days ago.
 */
export async function isRestricted(
  channelMonths: ChannelMonths,
  { appId, channel, dates, today }: RestrictionQuery,
): Promise<boolean> {
  if (!(await channelMonths.isSelfAttributing(channel))) return false;
  if (dates.some((date) => date < oldestShown(today))) return true;
  const months = new Set(dates.map((date) => date.slice(0, 7)));
  const small = await Promise.all([...months].map((month) => channelMonths.isSmallMonth(appId, channel, month)));
  return small.includes(true);
}

/**
 * Whether the data of a touchpoint that won a target event are masked now, by its own date or by that of the event.
 * @param eventAt when the event happened, ISO 8601
 */
export async function isWinnerRestricted(
  channelMonths: ChannelMonths,
  { appId, timezone, now }: { readonly appId: number; readonly timezone: string; readonly now: Date },
  winner: { readonly at: string; readonly source: { readonly channel: string } },
  eventAt: string,
): Promise<boolean> {
  const dates = [winner.at, eventAt].map((instant) => localDate(timezone, Date.parse(instant)));
  const { channel } = winner.source;
  return isRestricted(channelMonths, { appId, channel, dates, today: localDate(timezone, now.getTime()) });
}

/** That of any query of the read API, whose driver waits no longer. */
const timeoutMs = 15_000;

/**
 * The ids, in lower case, of an app's touchpoints that are masked now, by their own dates or by that of an event that
 * they won.
 * @param eventDates dates of the events that touchpoints won
 */
export async function withheldTouchpoints(
  { db, schema }: ReadModel,
  { appId, timezone, now }: { readonly appId: number; readonly timezone: string; readonly now: Date },
  ids: readonly string[],
  eventDates: ReadonlyMap<string, LocalDate>,
): Promise<ReadonlySet<string>> {
  return reportTransaction(db as Knex, { timeoutMs }, async (trx) => {
    const { rows } = await trx.raw<{ rows: { id: string; channel: string; date: LocalDate }[] }>(
      `select touchpoint_id::text as id, source.channel, local_date::text as date
       from ${factTable("touchpoints", { schema })} as touchpoint
       join ${schema}.sources as source using (app_id, source_key)
       where app_id = :appId and touchpoint_id = any(:ids::uuid[])`,
      { appId, ids: [...ids] },
    );
    const dated = rows.map(({ id, channel, date }) => {
      const eventDate = eventDates.get(id);
      return { id, channel, dates: eventDate === undefined ? [date] : [date, eventDate] };
    });
    const dates = dated.flatMap((touchpoint) => touchpoint.dates).sort();
    const [from, to] = [dates[0], dates.at(-1)];
    if (from === undefined || to === undefined) return new Set();
    const report = { appId, position: inForce - 1n, timezone, now };
    const masked = await selectMaskedRanges(trx, schema, report, { from, to });
    const withheld = dated.filter(({ channel, dates }) => dates.some((date) => isMasked(masked, channel, date)));
    return new Set(withheld.map(({ id }) => id));
  });
}

function isMasked(masked: readonly MaskedRange[], channel: string, date: LocalDate): boolean {
  return masked.some((range) => range.channel === channel && range.from <= date && date <= range.to);
}
