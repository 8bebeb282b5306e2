import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import { blockStart, blocksBegun, momentOf, returnDates } from "../../../domain/reporting/granularity.ts";
import { combinedReturnSelection, startCategories } from "../../../domain/reporting/return-events.ts";
import type { ReadModel } from "../../projection.ts";
import { isReturn } from "../cohorts/cohort-events.ts";
import { type ExplainedPart, explainParts, type Page } from "../explain/explanation.ts";
import { explainedColumns, factFields } from "../explain/fact-fields.ts";
import { type Cell, type RowValue, rowValues } from "../explain/facts-of-cell.ts";
import type { CohortFacts } from "../explain/statement.ts";
import { fromClause } from "../facts/from-clause.ts";
import { maskingReasonsOf } from "../masking/fact-view.ts";
import { maskedTables } from "../masking/masked-facts.ts";
import type { QueryContext, ReportAt } from "../query/query-context.ts";
import type { ReportLimits } from "../query/report-transaction.ts";
import { returnEventsOf, returnMatchSql, startsOf } from "./statement.ts";

/** A cell of a retention report. */
export interface RetentionCell extends Pick<Cell, "groupBys"> {
  /** The number of the block of starts that its sub-row is of; null: the group's own line. */
  readonly block: number | null;
  /** The interval in which devices came back; null: those that started. */
  readonly interval: number | null;
}

type Report = ReportAt<"retention">;
type Counted = RetentionCell & { readonly row: readonly RowValue[]; readonly returnsTo: string };

const { since, ids, details } = factFields.appEvents;
const explainedFields = { since, ...ids, ...details };
const names = Object.keys(explainedFields).map((name) => `"${name}"`);
const more = { columns: explainedColumns, fields: { app_id: "fact.app_id", ...explainedFields } };
const adds = "null::numeric as value, null::text as currency, 1::numeric as contribution, false as is_unconverted";

/**
 * The facts behind a cell of a retention report (contract/reports.md#retention), read at the report's position with the
 * same statements as the report: starts, or returns, each with the latest start that it is counted for in the cell. The
 * first of each device in the cell adds 1 and the device's others 0.
 * @param facts the live generation of the facts; it must have passed the report's position
 */
export async function explainRetention(
  facts: ReadModel,
  report: Report,
  cell: RetentionCell,
  page: Page,
  limits: ReportLimits,
): Promise<readonly ExplainedPart[]> {
  const { query, timezone, now } = report;
  const range = { ...returnDates(query, momentOf(now, timezone)), filters: [] };
  const row = rowValues(query.groupBys, cell.groupBys);
  const counted = { ...cell, row, returnsTo: range.to };
  const cohort = (context: QueryContext): CohortFacts =>
    cell.interval === null ? startFacts(report, counted, context) : returnFacts(report, counted, context);
  return explainParts(
    facts,
    { ...report, query: range },
    [{ metric: metricOf(report, cell), row, cohort }],
    page,
    limits,
  );
}

/** Devices with the events that the cell counts. */
function metricOf({ query }: Report, { interval }: RetentionCell): SimpleMetric {
  const starts = { categories: query.startEvents.map((event) => startCategories[event]) };
  return { kind: "devices", of: interval === null ? starts : combinedReturnSelection(query.returnEvents) };
}

function startFacts(report: Report, cell: Counted, context: QueryContext): CohortFacts {
  const counted = `select app_id, ${names.join(", ")}, local_date, ${adds}, masking_reasons
    from start where ${isOfCell(cell, context)}`;
  return { tables: tablesOf(report, cell, context), counted, maskingReasons: "0", startEventId: null };
}

function returnFacts(report: Report, cell: Counted, context: QueryContext): CohortFacts {
  const { bind } = context;
  const { n, isMatch } = returnMatchSql(report.query);
  const fields = Object.entries(more.fields).map(([name, text]) => `${text} as "${name}"`);
  const events = returnEventsOf(report.query, cell.returnsTo);
  const looked = events.selections.map((of) => ({ kind: "events", of }) as const);
  // A separate subquery (`offset 0` keeps the planner from merging it), but not materialized, which takes a quarter
  // longer.
  const returned = `returned as (
      select ${fields.join(", ")}, fact.device_key, fact.local_date, fact.at as first_at, fact.at as last_at,
        ${maskingReasonsOf("appEvents", context)} as masking_reasons
      ${fromClause("appEvents", context, looked, explainedColumns)} and ${isReturn(events, context)}
      offset 0
    )`;
  const counted = `select distinct on (returned."eventId") returned.app_id,
      ${names.map((name) => `returned.${name}`).join(", ")}, returned.local_date, ${adds},
      returned.masking_reasons, start."eventId" as "startEventId"
    from start join returned using (device_key)
    where start.masking_reasons is null and ${isOfCell(cell, context)} and ${isMatch}
      and ${n} = ${bind(String(cell.interval))}::integer
    order by returned."eventId", start.at desc`;
  const { granularity, from } = report.query;
  const startOf = (block: number) => blockStart(granularity, from, block, report.timezone);
  const now = momentOf(report.now, report.timezone);
  const begun = bind(String(blocksBegun(cell.interval ?? 0, granularity, now, startOf)));
  const maskingReasons = `select bit_or(masking_reasons) from start
    where ${isOfCell(cell, context)} and block < ${begun}::integer`;
  return {
    tables: [...tablesOf(report, cell, context), returned],
    counted,
    maskingReasons: `coalesce((${maskingReasons}), 0)`,
    startEventId: `"startEventId"`,
  };
}

function tablesOf(report: Report, { returnsTo }: Counted, context: QueryContext): readonly string[] {
  const starts = startsOf(report, returnsTo, { ...context, report }, more);
  return [...maskedTables(context), `start as materialized (${starts})`];
}

/** SQL of whether a row of `start` belongs to the group and the block of the cell. */
function isOfCell({ row, block }: Counted, { bind }: QueryContext): string {
  const values = row.map(({ value }, index) => (value === null ? `g${index} is null` : `g${index} = ${bind(value)}`));
  return [...values, block === null ? "true" : `block = ${bind(String(block))}::integer`].join(" and ");
}
