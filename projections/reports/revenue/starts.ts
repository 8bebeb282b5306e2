import { fromClause, hasMaskedFacts } from "../facts/from-clause.ts";
import { groupTexts } from "../facts/grouping.ts";
import { isMaskedFact, isUnmasked } from "../masking/masked-facts.ts";
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
