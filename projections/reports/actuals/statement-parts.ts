import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import type { FactKind } from "../facts/fact-kinds.ts";
import { columnsRead, fromClause } from "../facts/from-clause.ts";
import { type GroupByColumn, groupByColumns, groupedBy, groupNames, groupTexts } from "../facts/group-by-columns.ts";
import { metricSql } from "../facts/metric-sql.ts";
import { aggregateView, deviceViews, isAggregated } from "../masking/aggregate-view.ts";
import { hasMaskedFacts } from "../masking/fact-view.ts";
import type { QueryContext } from "../query/query-context.ts";
import type { NamedMeasure } from "./metric-columns.ts";

/** The common input of the parts of one actuals statement. */
interface PartsInput {
  readonly context: QueryContext;
  readonly metrics: readonly SimpleMetric[];
  readonly groupBys: readonly GroupByColumn[];
  readonly measures: readonly NamedMeasure[];
  /** Dates with daily aggregates. */
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
  const rows = isAggregated(kind)
    ? rowsOf(aggregateView(kind, context, metrics, aggregatedDays, columnsRead(kind, context, groupBys, columns)))
    : undefined;
  return `select ${selected.join(", ")}
    ${fromClause(kind, context, metrics, groupBys, rows)}
    ${groupedBy(groupNames(groupBys))}`;
}

const rowsOf = (view: string) => ({ view, conditions: [] });

/** All measures as columns; those of other parts are null. */
function measuresWhere(
  measures: readonly NamedMeasure[],
  isOfPart: (measure: NamedMeasure) => boolean,
  aggregateOf: (measure: NamedMeasure) => string = ({ aggregate }) => aggregate,
): readonly string[] {
  return measures.map((measure) => {
    return `${isOfPart(measure) ? aggregateOf(measure) : `null::${measure.type}`} as ${measure.name}`;
  });
}

const isOfDevices = ({ combinedBy }: NamedMeasure): boolean => combinedBy === "devices";

/**
 * The cells of distinct devices. When a cell is of one date and a metric of one category, the numbers of devices in
 * only one row of an aggregated day are added; all other devices are counted as distinct.
 */
export function deviceParts({ context, metrics, groupBys, measures, aggregatedDays }: PartsInput): readonly string[] {
  const ofDevices = metrics.filter((metric) => metric.kind === "devices");
  if (ofDevices.length === 0) return [];
  const groups = groupNames(groupBys);
  const texts = groupTexts(groupBys, "appEvents");
  const { alone, others } = deviceViews({
    context,
    metrics: ofDevices,
    read: columnsRead(
      "appEvents",
      context,
      groupBys,
      ofDevices.flatMap((metric) => metricSql(metric, context).columns),
    ),
    aggregatedDays,
    isOfAny: false,
    areAddedUp:
      groupBys.includes(groupByColumns.event_date) && ofDevices.every(({ of }) => of.categories?.length === 1),
  });
  const from = (view: string): string => fromClause("appEvents", context, ofDevices, groupBys, rowsOf(view));

  const met = measuresWhere(measures, isOfDevices, ({ aggregate }) => `bool_or(${aggregate})`);
  const distinct = measuresWhere(measures, isOfDevices, ({ name }) => `count(*) filter (where ${name})`);
  const parts = [
    `select ${[...groups, ...distinct].join(", ")}
     from (
       select ${[...texts, "fact.device_key", ...met].join(", ")}
       ${from(others)} ${groupedBy([...groups, "fact.device_key"])}
     ) as device
     ${groupedBy(groups)}`,
  ];
  if (alone === null) return parts;
  const addedUp = measuresWhere(
    measures,
    isOfDevices,
    ({ aggregate }) => `coalesce(sum(cardinality(fact.device_keys)) filter (where ${aggregate}), 0)`,
  );
  return [...parts, `select ${[...texts, ...addedUp].join(", ")} ${from(alone)} ${groupedBy(groups)}`];
}
