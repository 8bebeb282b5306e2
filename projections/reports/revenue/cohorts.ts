import { fromClause } from "../facts/from-clause.ts";
import { groupTexts } from "../facts/group-by-columns.ts";
import { hasMaskedFacts, isMaskedFact, isUnmasked } from "../masking/fact-view.ts";
import { mergeWithheldGroups } from "../masking/fully-masked-rows.ts";
import { hasKeysOfCohort, hasSpendColumns } from "./cohort-cost.ts";
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
