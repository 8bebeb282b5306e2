import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import { aggregatedFacts, isAggregated } from "../facts/daily-aggregates.ts";
import type { FactKind } from "../facts/fact-kinds.ts";
import { columnsRead, fromClause, hasMaskedFacts } from "../facts/from-clause.ts";
import type { GroupByColumn } from "../facts/group-by-columns.ts";
import { groupedBy, groupNames, groupTexts } from "../facts/grouping.ts";
import { metricSql } from "../facts/metric-sql.ts";
import type { QueryContext } from "../query/query-context.ts";
import type { NamedMeasure } from "./measures.ts";

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
  return `select ${selected.join(", ")}
    ${fromClause(kind, context, metrics, groupBys, instead)}
    ${groupedBy(groupNames(groupBys))}`;
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
