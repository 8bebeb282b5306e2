import type { Knex } from "knex";
import type { ActualsQuery } from "../../../domain/reporting/actuals/query.ts";
import { requestedMetric } from "../../../domain/reporting/catalogue/catalogue.ts";
import { partsOf } from "../../../domain/reporting/catalogue/metric.ts";
import type { DailyRates } from "../../../domain/reporting/currency-conversion.ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import type { WithheldRange } from "../../../domain/reporting/masking.ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import type { SchemaName } from "../../projection.ts";
import { rateTable } from "../query/amounts.ts";
import { bindings } from "../query/bindings.ts";
import { columnsOf } from "../query/group-by-columns.ts";
import { withheldTable } from "../query/masking-sql.ts";
import { combined, factKinds, measures } from "../query/measures.ts";
import type { ActualsAt } from "../query/query-context.ts";
import { deviceParts } from "./device-parts.ts";
import { type MetricColumns, metricColumns } from "./metric-columns.ts";
import { groupedBy, partOf } from "./parts.ts";

export interface Statement {
  readonly text: string;
  readonly values: { readonly [name: string]: Knex.Value };
}

/**
 * The rows of an actuals report in their order, one more than a result holds: `groupBys text[]`, `values text[]`
 * (decimal text), `masked boolean[]`, `loss integer` (why something was withheld of the row, as bits). One pass over
 * each kind of facts that the metrics need.
 * @param countedDays whose facts were counted before
 */
export function actualsStatement(
  schema: SchemaName,
  report: ActualsAt,
  rates: DailyRates,
  withheld: readonly WithheldRange[],
  countedDays: readonly LocalDate[],
): Statement {
  const { bind, values } = bindings();
  const reading = { schema, report, rates, withheld, bind };
  const { query } = report;
  const groupBys = columnsOf(query.groupBys);
  const metrics = query.metrics.map(requestedMetric);
  const measured = measures();
  const columns = metrics.map((metric) => metricColumns(metric, measured, reading));
  const aggregates = measured.all();
  const groups = groupBys.map((_, index) => `g${index}`);
  const asked = { reading, metrics: metrics.flatMap(partsOf), groupBys, measures: aggregates, countedDays };
  const parts = [
    ...factKinds
      .filter((kind) => aggregates.some(({ over, combinedBy }) => over === kind && combinedBy !== "devices"))
      .map((kind) => partOf(kind, asked)),
    ...deviceParts(asked),
  ];
  const losses = [...new Set(columns.flatMap((column) => column.losses))].map((measure) => `coalesce(${measure}, 0)`);
  const withheldTables = withheld.length === 0 ? [] : [withheldTable(withheld, schema, report.appId, bind)];
  const contributes = columns.map((column) => column.contributes).join(" or ");
  const text = `
    with ${[rateTable(rates, bind), ...withheldTables].join(", ")}, cell as (
      select ${listed(groups, ...aggregates.map((measure) => `${combined(measure)} as ${measure.name}`))}
      from (${parts.join(" union all ")}) as part
      ${groupedBy(groups)}
    ), shown as (
      select ${listed(groups, ...columns.flatMap(({ value, isMasked }, index) => [`${value} as v${index}`, `${isMasked} as x${index}`]), `${["0", ...losses].join(" | ")} as loss`)}
      from cell
      ${groups.length === 0 ? "" : `where ${contributes}`}
    )
    select array[${groups.join(", ")}]::text[] as "groupBys",
      array[${columns.map((column, index) => decimalText(column, `v${index}`)).join(", ")}]::text[] as "values",
      array[${metrics.map((_, index) => `x${index}`).join(", ")}]::boolean[] as "masked",
      loss as "loss"
    from shown
    order by ${orderOf(query).join(", ")}
    limit ${reportLimits.rows + 1}`;
  return { text, values };
}

/**
 * The sorts asked, else the first metric, the largest first (contract/reports.md#rows, contract/reports.md#sorting);
 * then the group-bys. Nulls stand last.
 */
function orderOf({ groupBys, metrics, sorts }: ActualsQuery): readonly string[] {
  const asked = sorts.length > 0 ? sorts : [{ fieldName: metrics[0] ?? "", isAscending: false }];
  const sorted = asked.map(({ fieldName, isAscending }) => {
    const metric = metrics.indexOf(fieldName);
    const column = metric >= 0 ? `v${metric}` : `g${groupBys.indexOf(fieldName)} collate "C"`;
    return `${column} ${isAscending ? "asc" : "desc"} nulls last`;
  });
  return [...sorted, ...groupBys.map((_, index) => `g${index} collate "C" asc nulls last`)];
}

function decimalText({ type }: MetricColumns, column: string): string {
  return type === "amount" ? `trim_scale(${column})::text` : `${column}::text`;
}

function listed(first: readonly string[], ...rest: readonly string[]): string {
  return [...first, ...rest].join(", ");
}
