import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import { calendarDays } from "../../../domain/values/local-time.ts";
import { factView, maskedJoinColumns } from "../masking/masked-facts.ts";
import type { QueryContext } from "../query/query-context.ts";
import type { Bind } from "../query/statement.ts";
import { conditionsOf, filterCondition } from "./fact-conditions.ts";
import { type FactKind, factTables } from "./fact-kinds.ts";
import {
  columnOf,
  type Dimension,
  dimensionJoin,
  type GroupByColumn,
  groupByColumns,
  joinColumns,
} from "./group-by-columns.ts";

/**
 * `from ... where ...` of the facts that a report reads, as of its position: `fact`, joined with the
 * dimensions that its group-bys, filters and channels read, and with `masked` where some are (`hasMaskedFacts`).
 * @param instead of the facts, a subquery of rows that stand for those that the metrics count, with the columns that
 *   `columnsRead` names; null: the facts, each by itself
 */
export function fromClause(
  kind: FactKind,
  context: QueryContext,
  metrics: readonly SimpleMetric[],
  groupBys: readonly GroupByColumn[],
  instead: string | null = null,
): string {
  const { schema, report, bind } = context;
  const { appId, query, position } = report;
  const { joins, conditions: filters } = joinsAndConditions(kind, context, groupBys);
  if (instead !== null) {
    return `from ${factView(instead, hasMaskedFacts(kind, context))} ${joins.join(" ")} where ${["true", ...filters].join(" and ")}`;
  }
  const conditions = [
    `fact.app_id = ${bind(appId)}`,
    `fact.local_date between ${bind(query.from)}::date and ${bind(query.to)}::date`,
    ...conditionsOf(kind, metrics, bind(position), bind),
    ...filters,
  ];
  return `from ${factView(`${schema}.${factTables[kind]}`, hasMaskedFacts(kind, context))} ${joins.join(" ")}
    where ${conditions.join(" and ")}`;
}

/** All columns that a statement reads of the facts of a kind: `columns`, and those of group-bys, filters and joins. */
export function columnsRead(
  kind: FactKind,
  context: QueryContext,
  groupBys: readonly GroupByColumn[],
  columns: readonly string[],
): ReadonlySet<string> {
  const { dimensions, columns: read } = joinsAndConditions(kind, context, groupBys);
  return new Set([
    ...columns,
    ...read.flatMap((column) => column[kind].columns),
    ...dimensions.flatMap((dimension) => joinColumns[dimension]),
    ...(hasMaskedFacts(kind, context) ? maskedJoinColumns : []),
  ]);
}

/** What is joined with the facts of a kind, and the conditions of filters and visible channels. */
function joinsAndConditions(kind: FactKind, context: QueryContext, groupBys: readonly GroupByColumn[]) {
  const { query, onlyChannels } = context.report;
  const { bind } = context;
  const filters = query.filters.map((filter) => {
    return { column: columnOf(filter.dimension), filter };
  });
  const { channel } = groupByColumns;
  const conditions = [
    ...filters.map(({ column, filter }) => filterCondition(column[kind].text, filter, bind)),
    ...(onlyChannels === null ? [] : [`${channel[kind].text} = any(${bind(onlyChannels)}::text[])`]),
  ];
  const columns = [...groupBys, ...filters.map(({ column }) => column), ...(onlyChannels === null ? [] : [channel])];
  const dimensions = [...new Set(columns.flatMap((column) => column[kind].reads ?? []))];
  const joins = dimensions.map((dimension) => joinOf(dimension, context));
  return { joins, conditions, dimensions, columns };
}

/**
 * Whether some facts of a kind are masked: uploaded rows are not about users, they stay
 * (contract/reports.md#masking).
 */
export function hasMaskedFacts(kind: FactKind, { masked }: QueryContext): boolean {
  return masked.length > 0 && (kind === "touchpoints" || kind === "appEvents");
}

/** Whether a metric counts amounts of a kind of facts. */
export function countsAmounts(metric: SimpleMetric, kind: FactKind): boolean {
  switch (kind) {
    case "touchpoints":
      return false;
    case "appEvents":
      return metric.kind === "money";
    case "spend":
      return metric.kind === "cost";
    case "uploadedMetrics":
      return metric.kind === "uploaded";
  }
}

function joinOf(dimension: Dimension, { schema, report, bind }: QueryContext): string {
  if (dimension !== "day") return dimensionJoin(dimension, schema);
  return `join ${dayTable(report.query.from, report.query.to, bind)} on day.local_date = fact.local_date`;
}

/** At most 92 rows. Their texts come as they are: made in SQL they would be made once a fact. */
function dayTable(from: string, to: string, bind: Bind): string {
  const days = calendarDays(from, to);
  const columns = (["date", "year", "month", "week", "dayOfWeek"] as const).map(
    (field) => `${bind(days.map((day) => day[field]))}::text[]`,
  );
  const dates = `${bind(days.map(({ date }) => date))}::date[]`;
  return `unnest(${[dates, ...columns].join(", ")}) as day (local_date, date, year, month, week, day_of_week)`;
}
