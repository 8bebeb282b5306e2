import { isElapsed } from "../../../domain/reporting/granularity.ts";
import { fromClause } from "../facts/from-clause.ts";
import { columnOf, groupTexts } from "../facts/group-by-columns.ts";
import { hasMaskedFacts, isMaskedFact, isUnmasked } from "../masking/fact-view.ts";
import { mergeWithheldGroups } from "../masking/masked-facts.ts";
import { amountOf } from "../money/amounts.ts";
import { blockOf, type RevenueContext } from "./revenue-context.ts";

/**
 * `start` for the `with` of a statement: the start of each device in each group, which is its first unmasked start
 * event of the range there, and `masked_block` and `start_masking_reasons` (bits) of an earlier masked one. The order
 * of events at one instant does not matter. Events masked for their age come before those of a small month, so the
 * highest bit is the reason of the first one.
 */
export function startTable(context: RevenueContext): string {
  const { report, starts, columns, groups } = context;
  const keys = [...groups, "device_key"].join(", ");
  const texts = groupTexts(columns, "appEvents");
  const events = { kind: "events", of: { categories: report.query.startEvents } } as const;
  const facts = fromClause("appEvents", starts, [events], columns);
  const masks = hasMaskedFacts("appEvents", starts);
  const ofUnmasked = masks ? `filter (where ${isUnmasked})` : "";
  const maskedEvents = masks
    ? `, min(fact.at) filter (where ${isMaskedFact}) as masked_at,
        min(fact.local_date) filter (where ${isMaskedFact}) as masked_date,
        max(masked.masking_reasons) as start_masking_reasons`
    : "";
  const maskedBlock = blockOf(context, { date: "masked_date", at: "masked_at" });
  const isMaskedFirst = "(at is null or masked_at < at)";
  const maskedStart = masks
    ? `, case when ${isMaskedFirst} then ${maskedBlock} end as masked_block,
      case when ${isMaskedFirst} then start_masking_reasons end as start_masking_reasons`
    : "";
  const block = blockOf(context, { date: "local_date", at: "at" });
  const found = `select ${keys}, at, local_date, ${block} as block ${maskedStart}
      from (
        select ${[...texts, "fact.device_key"].join(", ")},
          min(fact.at) ${ofUnmasked} as at, min(fact.local_date) ${ofUnmasked} as local_date ${maskedEvents}
        ${facts}
        group by ${keys}
      ) as first`;
  return `start as materialized (${masks ? shownStarts(found, context) : found})`;
}

/**
 * A select of starts, in which those of fully masked groups have only the shown group-bys and are in the first block
 * (contract/reports.md#masking).
 */
function shownStarts(found: string, context: RevenueContext): string {
  const { report, starts, columns, groups } = context;
  const spent = `select distinct ${[...groupTexts(columns, "spend"), "true as is_spent"].join(", ")}
    ${fromClause("spend", starts, [{ kind: "cost" }], columns)} and ${hasKeysOfCohort(context)}`;
  const join = groups.length === 0 ? `(${spent}) as spent on true` : `(${spent}) as spent using (${groups.join(", ")})`;
  const hasSpend = hasSpendColumns(context);
  const rows = hasSpend
    ? `(select * from (${found}) as found left join ${join}) as start_or_spend`
    : `(${found}) as found`;
  const isAnyUnmasked = hasSpend ? "at is not null or is_spent" : "at is not null";
  const maskedBlock = "case when is_any_of_group_unmasked then masked_block else 0 end as masked_block";
  const shown = ["device_key", "at", "local_date", "block", maskedBlock, "start_masking_reasons"];
  return mergeWithheldGroups(rows, report.query.groupBys.slice(0, groups.length), groups, isAnyUnmasked, shown);
}

/** The devices of each group and block, and those whose start was masked: a select. */
export function cohortPart(context: RevenueContext): string {
  const { starts, groups } = context;
  const keys = [...groups, "block"].join(", ");
  const maskedKeys = [...groups, "masked_block"].join(", ");
  const started = `select ${keys}, count(*) as users, 0 as masked_starts, 0 as masking_reasons
    from start where at is not null group by ${keys}`;
  if (!hasMaskedFacts("appEvents", starts)) return started;
  return `${started} union all
    select ${maskedKeys}, 0, count(*), bit_or(start_masking_reasons)
    from start where masked_block is not null group by ${maskedKeys}`;
}

/**
 * A select of spend by group and block, or by date if blocks are shorter than a day: `block`, `day` (from 0), `cost`,
 * `spend_rows`, `unconverted_spend`. Null if spend lacks the column of a group-by or filter
 * (contract/reports.md#revenue).
 */
export function costPart(context: RevenueContext): string | null {
  const { report, starts, columns, groups } = context;
  const { granularity, from } = report.query;
  if (!hasSpendColumns(context)) return null;
  const { converted, isUnconverted } = amountOf("spend", starts);
  const texts = groupTexts(columns, "spend");
  const day = `fact.local_date - ${starts.bind(from)}::date`;
  const [block, of] = isElapsed(granularity)
    ? ["null::integer", day]
    : [blockOf(context, { date: "fact.local_date", at: "" }), "null::integer"];
  return `select ${[...texts, `${block} as block`, `${of} as day`].join(", ")},
      sum(${converted}) as cost, count(*) as spend_rows, count(*) filter (where ${isUnconverted}) as unconverted_spend
    ${fromClause("spend", starts, [{ kind: "cost" }], columns)} and ${hasKeysOfCohort(context)}
    group by ${[...groups, "block", "day"].join(", ")}`;
}

/**
 * SQL of whether a row of spend (`fact`) has a value for every group-by and filter of a report: the cost of groups or
 * devices that are finer than the uploaded rows is not known (contract/reports.md#revenue).
 */
export function hasKeysOfCohort({ columns, report }: Pick<RevenueContext, "columns" | "report">): string {
  const filtered = report.query.filters.map(({ dimension }) => columnOf(dimension));
  const values = [...columns, ...filtered].map(({ spend }) => `coalesce(${spend.text}, '') <> ''`);
  return values.length === 0 ? "true" : values.join(" and ");
}

/** Group-bys that describe users' events: those of an uploaded row, which it has too, say nothing about a cohort. */
const ofEvents = [columnOf("event_type"), columnOf("currency")];

/** Whether spend has every column that a report groups and filters by (contract/reports.md#revenue). */
export function hasSpendColumns({ report, columns }: Pick<RevenueContext, "report" | "columns">): boolean {
  const filtered = report.query.filters.map(({ dimension }) => columnOf(dimension));
  return [...columns, ...filtered].every((column) => column.spend.text !== "null" && !ofEvents.includes(column));
}
