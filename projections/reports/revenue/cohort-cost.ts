import { isElapsed } from "../../../domain/reporting/granularity.ts";
import { fromClause } from "../facts/from-clause.ts";
import { columnOf, groupTexts } from "../facts/group-by-columns.ts";
import { amountOf } from "../money/amounts.ts";
import { blockOf, type RevenueContext } from "./revenue-context.ts";

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
