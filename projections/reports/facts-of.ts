import type { ActualsQuery } from "../../domain/report-tasks/events.ts";
import { calendarDays } from "../../domain/reporting/calendar-days.ts";
import { isGroupByKey, type Metric } from "../../domain/reporting/catalogue.ts";
import type { SchemaName } from "../projection.ts";
import type { Bind } from "./bindings.ts";
import { type Dimension, type GroupByColumn, groupByColumns } from "./group-by-columns.ts";
import type { Measure } from "./metric-measures.ts";

/** An actuals report at one log position. */
export interface ActualsAt {
  readonly appId: number;
  /** The app's: what amounts are told in. */
  readonly currency: string;
  readonly query: ActualsQuery;
  /** Channels that the report is confined to; null: all. */
  readonly onlyChannels: readonly string[] | null;
  readonly position: bigint;
}

/**
 * `from ... where ...` of the facts that a report looks at, as they stood at its position: `fact`, joined with the
 * dimensions that its group-bys, filters and channels read.
 */
export function factsOf(
  kind: Measure["over"],
  schema: SchemaName,
  report: ActualsAt,
  metrics: readonly Metric[],
  groupBys: readonly GroupByColumn[],
  bind: Bind,
): string {
  const { appId, query, onlyChannels, position } = report;
  const textOf = (column: GroupByColumn): string => (kind === "touchpoints" ? column.touchpoint : column.appEvent);
  const filters = query.filters.map(({ dimension, filterType, values }) => {
    if (!isGroupByKey(dimension)) throw new Error(`A recorded report filters by ${dimension}`);
    return { column: groupByColumns[dimension], filterType, values };
  });
  const { channel } = groupByColumns;
  const conditions = [
    `fact.app_id = ${bind(appId)}`,
    `fact.local_date between ${bind(query.from)}::date and ${bind(query.to)}::date`,
    ...(kind === "touchpoints"
      ? touchpointConditions(metrics, position, bind)
      : appEventConditions(metrics, position, bind)),
    // An empty text stands for what is missing, as in answers (D7.3).
    ...filters.map(({ column, filterType, values }) => {
      return `coalesce(${textOf(column)}, '') ${filterType === "IN" ? "= any" : "<> all"} (${bind(values)}::text[])`;
    }),
    ...(onlyChannels === null ? [] : [`${textOf(channel)} = any(${bind(onlyChannels)}::text[])`]),
  ];
  const read = [...groupBys, ...filters.map(({ column }) => column), ...(onlyChannels === null ? [] : [channel])];
  const joins = [...new Set(read.map(({ reads }) => reads))].map((dimension) =>
    dimension === null ? "" : joinOf(dimension, schema, query.from, query.to, bind),
  );
  return `from ${schema}.${kind === "touchpoints" ? "touchpoints" : "app_events"} as fact ${joins.join(" ")}
    where ${conditions.join(" and ")}`;
}

function touchpointConditions(metrics: readonly Metric[], position: bigint, bind: Bind): readonly string[] {
  const kinds = new Set<string>();
  for (const metric of metrics) {
    if (metric.kind === "touchpoints") for (const kind of metric.of) kinds.add(kind);
    if (metric.kind === "ratio") for (const kind of [...metric.of, ...metric.per]) kinds.add(kind);
  }
  return [`fact.position <= ${bind(position)}`, "fact.human", `fact.kind = any(${bind([...kinds])}::text[])`];
}

function appEventConditions(metrics: readonly Metric[], position: bigint, bind: Bind): readonly string[] {
  const at = bind(position);
  const inForce = [`fact.from_position <= ${at}`, `fact.to_position > ${at}`];
  const categories = new Set<string>();
  for (const metric of metrics) {
    if (metric.kind === "touchpoints" || metric.kind === "ratio") continue;
    const selection = metric.kind === "money" ? metric.adds : metric.of;
    if (selection.categories === undefined) return inForce;
    for (const category of selection.categories) categories.add(category);
    if (metric.kind === "money") for (const category of metric.subtracts) categories.add(category);
  }
  return [...inForce, `fact.category = any(${bind([...categories])}::text[])`];
}

function joinOf(dimension: Dimension, schema: SchemaName, from: string, to: string, bind: Bind): string {
  switch (dimension) {
    case "source":
      return `left join ${schema}.sources as source
        on source.app_id = fact.app_id and source.source_key = fact.source_key`;
    case "client":
      return `left join ${schema}.clients as client
        on client.app_id = fact.app_id and client.client_key = fact.client_key`;
    case "day":
      return `join ${dayTable(from, to, bind)} on day.local_date = fact.local_date`;
  }
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
