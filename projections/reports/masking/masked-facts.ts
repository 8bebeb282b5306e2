import type { Knex } from "knex";
import {
  type DateRange,
  findMaskedRanges,
  type MaskedRange,
  type MaskingReason,
  unexpiredPart,
  withheldGroupBys,
} from "../../../domain/reporting/masking.ts";
import { localDate } from "../../../domain/values/local-time.ts";
import type { SchemaName } from "../../projection.ts";
import type { Bind } from "../query/statement.ts";
import { type AppAt, channelMonths, selfAttributingChannels } from "./channel-months.ts";

/**
 * What every report leaves out of some dates (contract/reports.md#masking): the touchpoints of a self-attributing
 * channel, and the app events that carry its label, by their own local dates. Whole months decide, at the report's
 * position, whatever the query is.
 * @param range the local dates that the report reads
 */
export async function selectMaskedRanges(
  trx: Knex.Transaction,
  schema: SchemaName,
  report: AppAt & { readonly timezone: string; readonly now: Date },
  range: DateRange,
): Promise<readonly MaskedRange[]> {
  const today = localDate(report.timezone, report.now.getTime());
  const channels = await selfAttributingChannels(trx, schema, report);
  const young = unexpiredPart(range, today);
  const isAnyMonth = channels.length > 0 && young !== null;
  const counted = isAnyMonth ? await channelMonths(trx, schema, report, channels, young) : [];
  return findMaskedRanges(channels, counted, range, today);
}

/** The reasons of losses as bits, so that one number holds those of many facts. */
const reasonBits: { readonly [because in MaskingReason]: number } = { small_month: 1, older_than_175_days: 2 };

/**
 * `masked` for the `with` of a statement: the sources and dates that are left out, `because` as bits (`reasonsOf`).
 * Empty when nothing is masked: then the statement must not join it.
 */
export function maskedTables({ masked, schema, report, bind }: MaskingContext): readonly string[] {
  if (masked.length === 0) return [];
  const column = (type: string, of: (range: MaskedRange) => string): string => `${bind(masked.map(of))}::${type}[]`;
  const columns = [
    column("text", ({ channel }) => channel),
    column("date", ({ from }) => from),
    column("date", ({ to }) => to),
    column("integer", ({ because }) => reasonBits[because].toString()),
  ];
  return [
    `masked as materialized (
      select source.source_key, range.first_date, range.last_date, range.because
      from unnest(${columns.join(", ")}) as range (channel, first_date, last_date, because)
      join ${schema}.sources as source
        on source.app_id = ${bind(report.appId)} and source.channel = range.channel
    )`,
  ];
}

/** What masking depends on in a statement. */
interface MaskingContext {
  readonly schema: SchemaName;
  readonly report: { readonly appId: number };
  readonly masked: readonly MaskedRange[];
  readonly bind: Bind;
}

/** Joins touchpoints or app events (`fact`) with what is masked: at most one row each. */
const maskedJoin = `left join masked on masked.source_key = fact.source_key
    and fact.local_date between masked.first_date and masked.last_date`;

/**
 * Facts as reports, explanations and exports see them, for a `from`: `fact`, joined with why it is masked (`masked`) where
 * some are, so that it is masked before anything is chosen, grouped or counted (contract/reports.md#masking). The returns
 * of revenue, daily aggregates and the touchpoints of exports are read without it and masked where they are joined.
 * @param rows a table, or a subquery with `maskedJoinColumns`
 */
export function factView(rows: string, hasMasked: boolean): string {
  return `${rows} as fact ${hasMasked ? maskedJoin : ""}`;
}

/** The facts of {@link factView} that are left. */
export function leftFacts(rows: string, hasMasked: boolean, conditions: string): string {
  return `${factView(rows, hasMasked)} where ${conditions}${hasMasked ? ` and ${isUnmasked}` : ""}`;
}

/**
 * The group-bys of a row: of one of which nothing is left only those that are kept, so that rows that are withheld
 * whole cannot be counted (contract/reports.md#masking).
 * @param names the columns of the group-bys
 * @param isLeft whether anything is left of the row, in SQL
 */
export function shownGroupBys(
  groupBys: readonly string[],
  names: readonly string[],
  isLeft: string,
): readonly string[] {
  return groupBys.map((key, index) => {
    const name = names[index] ?? "";
    return withheldGroupBys.includes(key) ? name : `case when ${isLeft} then ${name} end as ${name}`;
  });
}

/** The columns of a fact that the join reads. */
export const maskedJoinColumns = ["source_key", "local_date"];

/** Whether a fact joined with {@link maskedJoin} is left out, and whether it is left. */
export const isMaskedFact = "masked.source_key is not null";
export const isUnmasked = "masked.source_key is null";

/**
 * Rows of groups, as a select: of groups of which nothing is left with the group-bys of {@link shownGroupBys}.
 * @param isLeft whether something of a row of its group is left, in SQL
 * @param columns besides the group-bys
 */
export function mergeWithheldGroups(
  rows: string,
  groupBys: readonly string[],
  names: readonly string[],
  isLeft: string,
  columns: readonly string[],
): string {
  const group = names.length === 0 ? "" : `partition by ${names.join(", ")}`;
  return `select ${[...shownGroupBys(groupBys, names, "is_left"), ...columns].join(", ")}
      from (select *, bool_or(${isLeft}) over (${group}) is true as is_left from ${rows}) as of_group`;
}

/** The reasons of the losses among facts that meet a condition, as bits; null when nothing was lost. */
export function maskingReasonsWhere(condition: string): string {
  return `bit_or(masked.because) filter (where ${condition})`;
}

/** The reasons that are set in bits, in a fixed order. */
export function reasonsOf(bits: number): readonly MaskingReason[] {
  return (["small_month", "older_than_175_days"] as const).filter((because) => (bits & reasonBits[because]) > 0);
}
