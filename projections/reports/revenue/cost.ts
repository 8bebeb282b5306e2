import { fromClause } from "../facts/from-clause.ts";
import { columnOf, groupTexts } from "../facts/grouping.ts";
import { amountOf } from "../money/amounts.ts";
import { blockOf, type RevenueContext } from "./revenue-context.ts";

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
