import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import { columnsOfFacts, factsOf } from "../query/from-clause.ts";
import type { GroupByColumn } from "../query/group-by-columns.ts";
import type { FactKind, NamedMeasure } from "../query/measures.ts";
import type { Reading } from "../query/query-context.ts";
import { countedFacts, isCounted } from "./daily-aggregates.ts";

/** What the parts of one actuals statement have in common. */
export interface AskedParts {
  readonly reading: Reading;
  readonly metrics: readonly SimpleMetric[];
  readonly groupBys: readonly GroupByColumn[];
  readonly measures: readonly NamedMeasure[];
  /** Dates whose facts were counted before. */
  readonly countedDays: readonly LocalDate[];
}

/** The cells of one kind of facts; measures of others, and of devices, are null. */
export function partOf(kind: FactKind, { reading, metrics, groupBys, measures, countedDays }: AskedParts): string {
  const selected = [
    ...groupTexts(groupBys, kind),
    ...measuresWhere(measures, ({ over, combinedBy }) => over === kind && combinedBy !== "devices"),
  ];
  const instead = isCounted(kind)
    ? countedFacts(kind, reading, metrics, countedDays, columnsOfFacts(kind, reading, groupBys, selected))
    : null;
  return `select ${selected.join(", ")} ${factsOf(kind, reading, metrics, groupBys, instead)} ${groupedBy(groupNames(groupBys))}`;
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
