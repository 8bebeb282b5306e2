import { isGroupByKey } from "../../../domain/reporting/catalogue/group-bys.ts";
import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import { calendarDays } from "../../../domain/values/local-time.ts";
import type { Bind } from "./bindings.ts";
import { conditionsOf } from "./fact-conditions.ts";
import { filterCondition } from "./filter-condition.ts";
import { type Dimension, dimensionJoin, type GroupByColumn, groupByColumns } from "./group-by-columns.ts";
import { withheldJoin } from "./masking-sql.ts";
import { type FactKind, factTables } from "./measures.ts";
import type { Reading } from "./query-context.ts";

/**
 * `from ... where ...` of the facts that a report looks at, as they stood at its position: `fact`, joined with the
 * dimensions that its group-bys, filters and channels read, and with `withheld` where some are (`hasWithheld`).
 * @param instead of the facts, a subquery of rows that stand for those that the metrics count, with the columns that
 *   `columnsOfFacts` names; null: the facts, each by itself
 */
export function factsOf(
  kind: FactKind,
  reading: Reading,
  metrics: readonly SimpleMetric[],
  groupBys: readonly GroupByColumn[],
  instead: string | null = null,
): string {
  const { schema, report, bind } = reading;
  const { appId, query, position } = report;
  const { joins, asked } = toldOfFacts(kind, reading, groupBys);
  if (instead !== null) {
    return `from ${instead} as fact ${joins.join(" ")} where ${["true", ...asked].join(" and ")}`;
  }
  const conditions = [
    `fact.app_id = ${bind(appId)}`,
    `fact.local_date between ${bind(query.from)}::date and ${bind(query.to)}::date`,
    ...conditionsOf(kind, metrics, bind(position), bind),
    ...asked,
  ];
  return `from ${schema}.${factTables[kind]} as fact ${joins.join(" ")}
    where ${conditions.join(" and ")}`;
}

/** All columns that a report reads of the facts of a kind: `expressions`, its joins and its filters. */
export function columnsOfFacts(
  kind: FactKind,
  reading: Reading,
  groupBys: readonly GroupByColumn[],
  expressions: readonly string[],
): ReadonlySet<string> {
  const { joins, asked } = toldOfFacts(kind, reading, groupBys);
  return columnsRead([...expressions, ...joins, ...asked]);
}

/** The columns of `fact` that some SQL names. Values are never in its text. */
function columnsRead(expressions: readonly string[]): ReadonlySet<string> {
  return new Set(expressions.flatMap((text) => [...text.matchAll(/\bfact\.(\w+)/g)].map(([, column]) => column ?? "")));
}

/** What is joined with the facts of a kind, and what is asked of them beside dates, metrics and position. */
function toldOfFacts(kind: FactKind, reading: Reading, groupBys: readonly GroupByColumn[]) {
  const { query, onlyChannels } = reading.report;
  const { bind } = reading;
  const filters = query.filters.map((filter) => {
    if (!isGroupByKey(filter.dimension)) throw new Error(`A recorded report filters by ${filter.dimension}`);
    return { column: groupByColumns[filter.dimension], filter };
  });
  const { channel } = groupByColumns;
  const asked = [
    ...filters.map(({ column, filter }) => filterCondition(column[kind].text, filter, bind)),
    ...(onlyChannels === null ? [] : [`${channel[kind].text} = any(${bind(onlyChannels)}::text[])`]),
  ];
  const read = [...groupBys, ...filters.map(({ column }) => column), ...(onlyChannels === null ? [] : [channel])];
  const joins = [...new Set(read.map((column) => column[kind].reads))].map((dimension) =>
    dimension === null ? "" : joinOf(dimension, reading),
  );
  if (hasWithheld(kind, reading)) joins.push(withheldJoin);
  return { joins, asked };
}

/**
 * Whether some facts of a kind are withheld: uploaded rows are not about users, they stay
 * (contract/reports.md#masking).
 */
export function hasWithheld(kind: FactKind, { withheld }: Reading): boolean {
  return withheld.length > 0 && (kind === "touchpoints" || kind === "appEvents");
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

function joinOf(dimension: Dimension, { schema, report, bind }: Reading): string {
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
