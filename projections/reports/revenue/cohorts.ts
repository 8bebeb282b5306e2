import { fromClause, hasMaskedFacts } from "../facts/from-clause.ts";
import { columnOf, groupTexts } from "../facts/group-by-columns.ts";
import { isMaskedFact, isUnmasked } from "../masking/masked-facts.ts";
import { amountOf } from "../money/amounts.ts";
import { blockOf, nowOf, type RevenueContext } from "./revenue-context.ts";

/**
 * `start` for the `with` of a statement: the start of each device in each group, its first start event of the range there
 * that is not masked, and `lost_block` and `lost_because` (bits) of one before it that is. Of events at one instant it
 * does not matter which is the first. What is too old is before what is of a small month, so that the highest reason is
 * that of the first.
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
  return `start as materialized (
      select ${keys}, at, local_date, ${blockOf(context, { date: "local_date", at: "at" })} as block ${lostStart}
      from (
        select ${[...texts, "fact.device_key"].join(", ")},
          min(fact.at) ${left} as at, min(fact.local_date) ${left} as local_date ${lost}
        ${facts} and fact.at <= ${nowOf(context)}
        group by ${keys}
      ) as first
    )`;
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
 * What was spent, by group and block, or by date where blocks are shorter than one: a select of `block`, `day` (from
 * 0), `cost`, `spend_rows`, `lost_spend`. Null when there is none to join: a group-by or a filter needs what spend
 * lacks (contract/reports.md#revenue).
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
    ${fromClause("spend", starts, [{ kind: "cost" }], columns)}
    group by ${[...groups, "block", "day"].join(", ")}`;
}

/** Whether spend has every column that a report groups and filters by (contract/reports.md#revenue). */
export function hasSpendColumns({ report, columns }: Pick<RevenueContext, "report" | "columns">): boolean {
  const filtered = report.query.filters.map(({ dimension }) => columnOf(dimension));
  return [...columns, ...filtered].every(({ spend }) => spend.text !== "null");
}
