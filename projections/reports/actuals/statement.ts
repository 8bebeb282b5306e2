import type { ActualsQuery } from "../../../domain/reporting/actuals/query.ts";
import { requestedMetric } from "../../../domain/reporting/catalogue/catalogue.ts";
import { partsOf } from "../../../domain/reporting/catalogue/metric.ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import { withheldGroupBys } from "../../../domain/reporting/masking.ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import { factKinds } from "../facts/fact-kinds.ts";
import { columnOf, groupedBy, groupNames } from "../facts/group-by-columns.ts";
import { shownGroupBys } from "../masking/fully-masked-rows.ts";
import { contextTables } from "../money/amounts.ts";
import { bindings, type Statement } from "../query/bindings.ts";
import { orderBy } from "../query/order-by.ts";
import type { UnboundContext } from "../query/query-context.ts";
import { combined, type MetricColumns, measures, metricColumns, type NamedMeasure } from "./metric-columns.ts";
import { deviceParts, partOf } from "./statement-parts.ts";

/**
 * The rows of an actuals report in their order, one more than a result holds: `groupBys text[]`, `values text[]`
 * (decimal text), `masked boolean[]`, `maskingReasons integer` (why some of the row was masked, as bits). One pass over
 * each kind of facts that the metrics need.
 * @param aggregatedDays days with daily aggregates
 */
export function actualsStatement(
  unbound: UnboundContext,
  query: ActualsQuery,
  aggregatedDays: readonly LocalDate[],
): Statement {
  const { bind, values } = bindings();
  const context = { ...unbound, bind };
  const groupBys = query.groupBys.map(columnOf);
  const metrics = query.metrics.map(requestedMetric);
  const measured = measures();
  const columns = metrics.map((metric) => metricColumns(metric, measured, context));
  const aggregates = measured.all();
  const groups = groupNames(groupBys);
  const input = { context, metrics: metrics.flatMap(partsOf), groupBys, measures: aggregates, aggregatedDays };
  const parts = [
    ...factKinds
      .filter((kind) => aggregates.some(({ over, combinedBy }) => over === kind && combinedBy !== "devices"))
      .map((kind) => partOf(kind, input)),
    ...deviceParts(input),
  ];
  const reasonMeasures = [...new Set(columns.flatMap((column) => column.maskingReasons))];
  const maskingReasons = ["0", ...reasonMeasures.map((measure) => `coalesce(${measure}, 0)`)].join(" | ");
  const cells = columns.flatMap(({ value, isMasked }, index) => [`${value} as v${index}`, `${isMasked} as x${index}`]);
  const isAnyUnmasked = columns.map((column) => column.isAnyUnmasked).join(" or ");
  const contributes = [isAnyUnmasked, ...reasonMeasures.map((measure) => `${measure} is not null`)];
  const cell = cellTables(query.groupBys, aggregates, isAnyUnmasked, context.masked.length > 0);
  const columnOfMetric = (field: string) => {
    const index = query.metrics.indexOf(field);
    return index < 0 ? undefined : `v${index}`;
  };
  const text = `
    with ${[...contextTables(context), ...cell(parts.join(" union all "))].join(", ")}, shown as (
      select ${[...groups, ...cells, `${maskingReasons} as masking_reasons`].join(", ")}
      from cell
      ${groups.length === 0 ? "" : `where ${contributes.join(" or ")}`}
    )
    select array[${groups.join(", ")}]::text[] as "groupBys",
      array[${columns.map((column, index) => decimalText(column, `v${index}`)).join(", ")}]::text[] as "values",
      array[${metrics.map((_, index) => `x${index}`).join(", ")}]::boolean[] as "masked",
      masking_reasons as "maskingReasons"
    from shown
    order by ${orderBy(query, query.metrics[0] ?? "", columnOfMetric)}
    limit ${reportLimits.rows + 1}`;
  return { text, values };
}

/**
 * `cell` for the `with` of a statement, over parts of cells; fully masked cells are merged by their shown group-bys.
 */
function cellTables(
  groupBys: readonly string[],
  aggregates: readonly NamedMeasure[],
  isAnyUnmasked: string,
  masks: boolean,
) {
  const groups = groupNames(groupBys);
  const combine = (from: string, columns: readonly string[]): string =>
    `select ${[...columns, ...aggregates.map((measure) => `${combined(measure)} as ${measure.name}`)].join(", ")}
      from ${from}
      ${groupedBy(groups)}`;
  return (parts: string): readonly string[] => {
    const found = combine(`(${parts}) as part`, groups);
    if (!masks || groupBys.every((key) => withheldGroupBys.includes(key))) return [`cell as (${found})`];
    const names = aggregates.map(({ name }) => name);
    const merged = `select ${[...shownGroupBys(groupBys, groups, isAnyUnmasked), ...names].join(", ")} from found`;
    return [`found as (${found})`, `cell as (${combine(`(${merged}) as merged`, groups)})`];
  };
}

function decimalText({ type }: MetricColumns, column: string): string {
  return type === "amount" ? `trim_scale(${column})::text` : `${column}::text`;
}
