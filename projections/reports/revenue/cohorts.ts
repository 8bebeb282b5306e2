import { fromClause } from "../facts/from-clause.ts";
import { columnOf, groupTexts } from "../facts/group-by-columns.ts";
import { hasMaskedFacts, isMaskedFact, isUnmasked } from "../masking/fact-view.ts";
import { mergeWithheldGroups } from "../masking/masked-facts.ts";
import { amountOf } from "../money/amounts.ts";
import { blockOf, nowOf, type RevenueContext } from "./revenue-context.ts";

/**
 * `start` for the `with` of a statement: the start of each device in each group, which is its first unmasked start
 * event of the range there, and `lost_block` and `lost_because` (bits) of an earlier masked one. The order of events at
 * one instant does not matter. Events masked for their age come before those of a small month, so the highest bit is
 * the reason of the first one.
 */
export function startTable(context: RevenueContext): string {
  const { report, starts, columns, groups } = context;
  const keys = [...groups, "device_key"].join(", ");
  const texts = groupTexts(columns, "appEvents");
  const events = { kind: "events", of: { categories: report.query.startEvents } } as const;
  const facts = fromClause("appEvents", starts, [events], columns);
  const masks = hasMaskedFacts("appEvents", starts);
  const left = masks ? `filter (where ${isUnmasked})` : "";
  const lost = masks
    ? `, min(fact.at) filter (where ${isMaskedFact}) as lost_at,
        min(fact.local_date) filter (where ${isMaskedFact}) as lost_date, max(masked.because) as lost_because`
    : "";
  const isLost = "(at is null or lost_at < at)";
  const lostStart = masks
    ? `, case when ${isLost} then ${blockOf(context, { date: "lost_date", at: "lost_at" })} end as lost_block,
      case when ${isLost} then lost_because end as lost_because`
    : "";
  const found = `select ${keys}, at, local_date, ${blockOf(context, { date: "local_date", at: "at" })} as block ${lostStart}
      from (
        select ${[...texts, "fact.device_key"].join(", ")},
          min(fact.at) ${left} as at, min(fact.local_date) ${left} as local_date ${lost}
        ${facts} and fact.at <= ${nowOf(context)}
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
    ${fromClause("spend", starts, [{ kind: "cost" }], columns)} and ${hasKeysOfGroups(context)}`;
  const join = groups.length === 0 ? `(${spent}) as spent on true` : `(${spent}) as spent using (${groups.join(", ")})`;
  const hasSpend = hasSpendColumns(context);
  const rows = hasSpend
    ? `(select * from (${found}) as found left join ${join}) as start_or_spend`
    : `(${found}) as found`;
  const isLeft = hasSpend ? "at is not null or is_spent" : "at is not null";
  const lostBlock = "case when is_left or lost_block is null then lost_block else 0 end as lost_block";
  const shown = ["device_key", "at", "local_date", "block", lostBlock, "lost_because"];
  return mergeWithheldGroups(rows, report.query.groupBys.slice(0, groups.length), groups, isLeft, shown);
}

/** The devices of each group and block, and those whose start was masked: a select. */
export function cohortPart(context: RevenueContext): string {
  const { starts, groups } = context;
  const keys = [...groups, "block"].join(", ");
  const lostKeys = [...groups, "lost_block"].join(", ");
  const started = `select ${keys}, count(*) as users, 0 as lost_starts, 0 as because
    from start where at is not null group by ${keys}`;
  if (!hasMaskedFacts("appEvents", starts)) return started;
  return `${started} union all
    select ${lostKeys}, 0, count(*), bit_or(lost_because)
    from start where lost_block is not null group by ${lostKeys}`;
}

/**
 * A select of spend by group and block, or by date if blocks are shorter than a day: `block`, `day` (from 0), `cost`,
 * `spend_rows`, `lost_spend`. Null if spend lacks the column of a group-by or filter (contract/reports.md#revenue).
 */
export function costPart(context: RevenueContext): string | null {
  const { report, starts, columns, groups } = context;
  const { granularity, from } = report.query;
  if (!hasSpendColumns(context)) return null;
  const { converted, isLost } = amountOf("spend", starts);
  const texts = groupTexts(columns, "spend");
  const isElapsed = granularity === "hour" || granularity === "minute";
  const day = `fact.local_date - ${starts.bind(from)}::date`;
  const [block, of] = isElapsed
    ? ["null::integer", day]
    : [blockOf(context, { date: "fact.local_date", at: "" }), "null::integer"];
  return `select ${[...texts, `${block} as block`, `${of} as day`].join(", ")},
      sum(${converted}) as cost, count(*) as spend_rows, count(*) filter (where ${isLost}) as lost_spend
    ${fromClause("spend", starts, [{ kind: "cost" }], columns)} and ${hasKeysOfGroups(context)}
    group by ${[...groups, "block", "day"].join(", ")}`;
}

/**
 * SQL of whether a row of spend (`fact`) has a value for every group-by of a report: groups that are finer than the
 * uploaded rows have no cost (contract/reports.md#revenue).
 */
export function hasKeysOfGroups({ columns }: Pick<RevenueContext, "columns">): string {
  const values = columns.map(({ spend }) => `coalesce(${spend.text}, '') <> ''`);
  return values.length === 0 ? "true" : values.join(" and ");
}

/** Group-bys that describe users' events: those of an uploaded row, which it has too, say nothing about a cohort. */
const ofEvents = [columnOf("event_type"), columnOf("currency")];

/** Whether spend has every column that a report groups and filters by (contract/reports.md#revenue). */
export function hasSpendColumns({ report, columns }: Pick<RevenueContext, "report" | "columns">): boolean {
  const filtered = report.query.filters.map(({ dimension }) => columnOf(dimension));
  return [...columns, ...filtered].every((column) => column.spend.text !== "null" && !ofEvents.includes(column));
}
