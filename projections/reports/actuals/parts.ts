import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import { columnsRead, fromClause, hasMaskedFacts } from "../query/from-clause.ts";
import type { GroupByColumn } from "../query/group-by-columns.ts";
import type { FactKind, NamedMeasure } from "../query/measures.ts";
import { metricSql } from "../query/metric-sql.ts";
import type { QueryContext } from "../query/query-context.ts";
import { aggregatedFacts, isAggregated } from "./daily-aggregates.ts";

/** What the parts of one actuals statement have in common. */
export interface PartsInput {
  readonly context: QueryContext;
  readonly metrics: readonly SimpleMetric[];
  readonly groupBys: readonly GroupByColumn[];
  readonly measures: readonly NamedMeasure[];
  /** Dates whose facts were counted before. */
  readonly aggregatedDays: readonly LocalDate[];
}

/** The cells of one kind of facts; measures of others, and of devices, are null. */
export function partOf(kind: FactKind, { context, metrics, groupBys, measures, aggregatedDays }: PartsInput): string {
  const selected = [
    ...groupTexts(groupBys, kind),
    ...measuresWhere(measures, ({ over, combinedBy }) => over === kind && combinedBy !== "devices"),
  ];
  const columns = metrics
    .map((metric) => metricSql(metric, context))
    .filter(({ over, each }) => over === kind && (each !== "device" || hasMaskedFacts(kind, context)))
    .flatMap((sql) => sql.columns);
  const instead = isAggregated(kind)
    ? aggregatedFacts(kind, context, metrics, aggregatedDays, columnsRead(kind, context, groupBys, columns))
    : null;
  return `select ${selected.join(", ")} ${fromClause(kind, context, metrics, groupBys, instead)} ${groupedBy(groupNames(groupBys))}`;
}

/** The texts that a part groups by, named. */
export function groupTexts(groupBys: readonly GroupByColumn[], kind: FactKind): readonly string[] {
  return groupBys.map((column, index) => `(${column[kind].text})::text as g${index}`);
}

export function groupNames(groupBys: readonly GroupByColumn[]): readonly string[] {
  return groupBys.map((_, index) => `g${index}`);
}

/** Every measure, named: null unless it is the part's. */
export function measuresWhere(
  measures: readonly NamedMeasure[],
  isOfPart: (measure: NamedMeasure) => boolean,
  aggregateOf: (measure: NamedMeasure) => string = ({ aggregate }) => aggregate,
): readonly string[] {
  return measures.map((measure) => {
    return `${isOfPart(measure) ? aggregateOf(measure) : `null::${measure.type}`} as ${measure.name}`;
  });
}

/** Without columns an aggregate gives exactly one row, also over nothing. */
export function groupedBy(columns: readonly string[]): string {
  return columns.length === 0 ? "" : `group by ${columns.join(", ")}`;
}
