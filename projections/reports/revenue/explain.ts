import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import {
  beginningOf,
  blockStart,
  blocksBegun,
  isElapsed,
  lastInterval,
  type Moment,
  momentOf,
  returnDates,
} from "../../../domain/reporting/granularity.ts";
import { combinedReturnSelection } from "../../../domain/reporting/return-events.ts";
import type { RevenueQuery } from "../../../domain/reporting/revenue/query.ts";
import { addDays } from "../../../domain/values/local-time.ts";
import type { ReadModel } from "../../projection.ts";
import { type ExplainedPart, explainParts, type Page } from "../explain/explanation.ts";
import { explainedColumns, factFields } from "../explain/fact-fields.ts";
import { type Cell, isInRow, type RowValue, rowValues } from "../explain/facts-of-cell.ts";
import type { CellPart, CohortFacts } from "../explain/statement.ts";
import { fromClause } from "../facts/from-clause.ts";
import { hasMaskedFacts, isUnmasked } from "../masking/fact-view.ts";
import { contextTables } from "../money/amounts.ts";
import type { QueryContext, ReportAt } from "../query/query-context.ts";
import type { ReportLimits } from "../query/report-transaction.ts";
import { hasKeysOfCohort, hasSpendColumns } from "./cohort-cost.ts";
import { startTable } from "./cohorts.ts";
import { returnEventTable, returnsOfStarts } from "./returns.ts";
import { blockOf, type RevenueContext, revenueContext } from "./revenue-context.ts";

export const revenueTotals = ["totalRevenue", "totalUniqueUsers", "totalCost"] as const;

/** A cell of a revenue report. */
export interface RevenueCell extends Pick<Cell, "groupBys"> {
  /** The number of the block of starts that its sub-row is of; null: the group's own line. */
  readonly block: number | null;
  readonly counts:
    | { readonly total: (typeof revenueTotals)[number] }
    /** The query's metric, in an interval. */
    | { readonly metric: RevenueQuery["metric"]; readonly interval: number };
}

type Part = "users" | "cost" | "devices" | ReturnsCounted;

const partsOf: { readonly [counted in RevenueQuery["metric"] | (typeof revenueTotals)[number]]: readonly Part[] } = {
  totalRevenue: ["amounts"],
  totalUniqueUsers: ["users"],
  totalCost: ["cost"],
  app_revenue: ["amounts"],
  app_event_count: ["events"],
  app_user_count: ["devices"],
  app_arpu: ["amounts", "users"],
  app_arppu: ["amounts", "payments"],
  app_roas: ["amounts", "cost"],
};

/**
 * The facts behind a cell of a revenue report (contract/reports.md#revenue), read at the report's position with the
 * same statements as the report: returns, each with its start; the start of each device; rows of spend. The numerator
 * of an average or a ratio comes first. An interval counts the cohorts for which it has begun.
 * @param facts the live generation of the facts; it must have passed the report's position
 */
export async function explainRevenue(
  facts: ReadModel,
  report: ReportAt<"revenue">,
  cell: RevenueCell,
  page: Page,
  limits: ReportLimits,
): Promise<readonly ExplainedPart[]> {
  const { query, timezone } = report;
  const range = returnDates(query, momentOf(report.now, timezone));
  const row = rowValues(query.groupBys, cell.groupBys);
  const reach = { row, ...reachOf(report, cell) };
  const readingOf = ({ schema, rates, masked, bind }: QueryContext): RevenueContext =>
    revenueContext({ schema, report, returnDates: range, rates, masked, groupBys: query.groupBys }, bind);
  const counted = partsOf["total" in cell.counts ? cell.counts.total : cell.counts.metric];
  const parts = counted.map((part) => countedPart(part, reach, report, readingOf));
  return explainParts(facts, { ...report, query: { ...range, filters: query.filters } }, parts, page, limits);
}

/** The starts and returns of a cell, and the first and last day of its spend; the last is before the first for none. */
type Reach = RevenueReach & { readonly days: readonly [number, number] | null };

function reachOf({ query, timezone, now }: ReportAt<"revenue">, { block, counts }: RevenueCell): Omit<Reach, "row"> {
  const { granularity, from, aggregationType } = query;
  const isTime = isElapsed(granularity);
  if ("total" in counts) {
    const intervals = [0, lastInterval[granularity]] as const;
    if (block === null) return { intervals, blocks: null, days: null };
    return { intervals, blocks: [block, block], days: isTime ? [0, -1] : null };
  }
  const { interval } = counts;
  const begun = (startOf: (index: number) => Moment): number =>
    blocksBegun(interval, granularity, momentOf(now, timezone), startOf);
  const lastBlock = begun((index) => blockStart(granularity, from, index, timezone)) - 1;
  const lastDay = isTime && block === null ? begun((index) => beginningOf(addDays(from, index), timezone)) - 1 : -1;
  return {
    intervals: [aggregationType === "cumulative" ? 0 : interval, interval],
    blocks: block === null ? [0, lastBlock] : [block, Math.min(block, lastBlock)],
    days: isTime ? [0, lastDay] : null,
  };
}

function countedPart(
  part: Part,
  reach: Reach,
  report: ReportAt<"revenue">,
  readingOf: (context: QueryContext) => RevenueContext,
): CellPart {
  const { row } = reach;
  const { startEvents, returnEvents } = report.query;
  if (part === "users") {
    const metric: SimpleMetric = { kind: "devices", of: { categories: startEvents } };
    return { metric, row, cohort: (context) => startFacts(readingOf(context), reach) };
  }
  if (part === "cost") {
    const isInCell = (context: QueryContext): string => isSpentInCell(readingOf(context), reach);
    return { metric: { kind: "cost" }, row, isInCell };
  }
  const of = combinedReturnSelection(returnEvents);
  const metrics: { readonly [returned in typeof part]: SimpleMetric } = {
    amounts: { kind: "money", adds: of, subtracts: [] },
    payments: { kind: "devices", of },
    devices: { kind: "devices", of },
    events: { kind: "events", of },
  };
  const which = part === "devices" ? "events" : part;
  return { metric: metrics[part], row, cohort: (context) => returnFacts(readingOf(context), reach, which) };
}

function isSpentInCell(context: RevenueContext, { blocks, days }: Reach): string {
  const { report, starts } = context;
  const { bind } = starts;
  if (!hasSpendColumns(context)) return "false";
  const isInRange = `fact.local_date <= ${bind(report.query.to)}::date and ${hasKeysOfCohort(context)}`;
  const day = `fact.local_date - ${bind(report.query.from)}::date`;
  const [number, range] = days === null ? [blockOf(context, { date: "fact.local_date", at: "" }), blocks] : [day, days];
  if (range === null) return isInRange;
  const [first, last] = range.map(String);
  return `${isInRange} and ${number} between ${bind(first ?? "")}::integer and ${bind(last ?? "")}::integer`;
}

/** The starts and returns of a revenue report that a cell counts. */
interface RevenueReach {
  readonly row: readonly RowValue[];
  /** First and last block of starts; null: all. */
  readonly blocks: readonly [number, number] | null;
  /** First and last interval of returns. */
  readonly intervals: readonly [number, number];
}

/** Which returns are counted: those with an amount, paying ones, or all. */
type ReturnsCounted = "amounts" | "payments" | "events";

const { since, ids, details } = factFields.appEvents;
const explainedFields = { since, ...ids, ...details };

/** The start of each device of a cell, which adds 1. */
function startFacts(context: RevenueContext, reach: RevenueReach): CohortFacts {
  const fields = Object.entries(explainedFields).map(([name, text]) => `${text} as "${name}"`);
  const counted = `select distinct on (fact.device_key) fact.app_id, ${fields.join(", ")}, fact.local_date,
      null::numeric as value, null::text as currency, 1::numeric as contribution, false as is_unconverted,
      null::integer as masking_reasons
    ${startsOfRow(context, reach)}
      and (fact.device_key, fact.at) in (select device_key, at from start where ${isOfCell(context, reach, "block")})
    order by fact.device_key, fact.event_id::text`;
  return { ...shared(context, reach), counted, startEventId: null };
}

/** The returns of a cell, each with its revenue. */
function returnFacts(context: RevenueContext, reach: RevenueReach, which: ReturnsCounted): CohortFacts {
  const { bind } = context.starts;
  const more = {
    columns: explainedColumns,
    fields: { app_id: "fact.app_id", value: "fact.value", ...explainedFields },
  };
  const names = Object.keys(explainedFields).map((name) => `"${name}"`);
  const ofAmounts = which === "amounts";
  const isAggregated = {
    amounts: "has_value",
    payments: "(masking_reasons is not null and has_value or amount > 0)",
    events: "true",
  }[which];
  const [first, last] = reach.intervals;
  const counted = `select app_id, ${names.join(", ")}, returned_on as local_date, at as "startedAt",
      ${ofAmounts ? "value" : "null::numeric"} as value, ${ofAmounts ? "currency" : "null::text"} as currency,
      ${ofAmounts ? "amount" : "1"}::numeric as contribution,
      ${ofAmounts ? "is_unconverted" : "false"} as is_unconverted, masking_reasons
    from (${returnsOfStarts(context, more)}) as return
    where ${isOfCell(context, reach, "block")} and ${isAggregated}
      and number between ${bind(String(first))}::integer and ${bind(String(last))}::integer`;
  const startEventId = `(
      select fact.event_id ${startsOfRow(context, reach)}
        and fact.device_key = counted."userId" and fact.at = counted."startedAt"
      order by fact.event_id::text limit 1
    )`;
  const { tables, maskingReasons } = shared(context, reach);
  return { tables: [...tables, returnEventTable(context, more)], counted, maskingReasons, startEventId };
}

/** The unmasked start events of a row, whether they are the first of their device or not. */
function startsOfRow({ report, starts, columns }: RevenueContext, { row }: RevenueReach): string {
  const events = { kind: "events", of: { categories: report.query.startEvents } } as const;
  const unmasked = hasMaskedFacts("appEvents", starts) ? isUnmasked : "true";
  return `${fromClause("appEvents", starts, [events], [...columns, ...explainedColumns])}
      and ${isInRow("appEvents", row, starts.bind)} and ${unmasked}`;
}

function shared(context: RevenueContext, reach: RevenueReach) {
  const masks = hasMaskedFacts("appEvents", context.starts);
  const maskingReasons = `select bit_or(start_masking_reasons) from start
    where ${isOfCell(context, reach, "masked_block")}`;
  return {
    tables: [...contextTables(context.returns), startTable(context)],
    maskingReasons: masks ? `coalesce((${maskingReasons}), 0)` : "0",
  };
}

/** SQL of whether a row of `start` belongs to the group and the blocks of the cell. */
function isOfCell({ groups, starts: { bind } }: RevenueContext, { row, blocks }: RevenueReach, block: string): string {
  const values = row.map(({ value }, index) =>
    value === null ? `${groups[index]} is null` : `${groups[index]} = ${bind(value)}`,
  );
  const [first, last] = blocks?.map(String) ?? [];
  const isBetween =
    first === undefined || last === undefined
      ? `${block} is not null`
      : `${block} between ${bind(first)}::integer and ${bind(last)}::integer`;
  return [...values, isBetween].join(" and ");
}
