import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import { calendarDays } from "../../../domain/values/local-time.ts";
import { factView, hasMaskedFacts, maskedJoinColumns } from "../masking/fact-view.ts";
import type { Bind } from "../query/bindings.ts";
import type { QueryContext } from "../query/query-context.ts";
import { conditionsOf, filterCondition, isVisibleChannel } from "./fact-conditions.ts";
import type { FactKind } from "./fact-kinds.ts";
import {
  columnOf,
  type Dimension,
  dimensionJoin,
  type GroupByColumn,
  groupByColumns,
  joinColumns,
} from "./group-by-columns.ts";

/** A view whose rows represent the facts that metrics count. */
interface FactRows {
  /** For a `from`: `fact`, of a view (`projections/reports/masking`), with the columns that `columnsRead` names. */
  readonly view: string;
  /** Which of its rows. */
  readonly conditions: readonly string[];
}

/**
 * `from ... where ...` of the facts that a report reads, as of its position: `fact`, joined with the
 * dimensions that its group-bys, filters and channels read, and with `masked` where some are (`hasMaskedFacts`).
 */
export function fromClause(
  kind: FactKind,
  context: QueryContext,
  metrics: readonly SimpleMetric[],
  groupBys: readonly GroupByColumn[],
  { view, conditions }: FactRows = countedFacts(kind, context, metrics),
): string {
  const { joins, conditions: filters } = joinsAndConditions(kind, context, groupBys);
  return `from ${view} ${joins.join(" ")}
    where ${["true", ...conditions, ...filters].join(" and ")}`;
}

function countedFacts(kind: FactKind, context: QueryContext, metrics: readonly SimpleMetric[]): FactRows {
  const { report, bind } = context;
  const { appId, query, position } = report;
  const conditions = [
    `fact.app_id = ${bind(appId)}`,
    `fact.local_date between ${bind(query.from)}::date and ${bind(query.to)}::date`,
    ...conditionsOf(kind, metrics, bind(position), bind),
  ];
  return { view: factView(kind, context), conditions };
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

/** The joins of the facts of a kind, and the conditions of filters and visible channels. */
function joinsAndConditions(kind: FactKind, context: QueryContext, groupBys: readonly GroupByColumn[]) {
  const { query, onlyChannels } = context.report;
  const { bind } = context;
  const filters = query.filters.map((filter) => {
    return { column: columnOf(filter.dimension), filter };
  });
  const { channel } = groupByColumns;
  const conditions = [
    ...filters.map(({ column, filter }) => filterCondition(column[kind].text, filter, bind)),
    ...(onlyChannels === null ? [] : [isVisibleChannel(channel[kind].text, onlyChannels, bind)]),
  ];
  const columns = [...groupBys, ...filters.map(({ column }) => column), ...(onlyChannels === null ? [] : [channel])];
  const dimensions = [...new Set(columns.flatMap((column) => column[kind].reads ?? []))];
  const joins = dimensions.map((dimension) => joinOf(dimension, context));
  return { joins, conditions, dimensions, columns };
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

/** At most 92 rows, with their texts as parameters: SQL would compute them for each fact. */
function dayTable(from: string, to: string, bind: Bind): string {
  const days = calendarDays(from, to);
  const columns = (["date", "year", "month", "week", "dayOfWeek"] as const).map(
    (field) => `${bind(days.map((day) => day[field]))}::text[]`,
  );
  const dates = `${bind(days.map(({ date }) => date))}::date[]`;
  return `unnest(${[dates, ...columns].join(", ")}) as day (local_date, date, year, month, week, day_of_week)`;
}
