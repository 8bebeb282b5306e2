import { assertNever } from "../../../domain/decider.ts";
import { requestedMetric } from "../../../domain/reporting/catalogue/catalogue.ts";
import { partsOf } from "../../../domain/reporting/catalogue/metric.ts";
import type { ReadModel } from "../../projection.ts";
import { type ExplainedPart, explainParts, type Page } from "../explain/explanation.ts";
import { type Cell, narrowedTo, type RowValue, rowValues, unmaskedGroups } from "../explain/facts-of-cell.ts";
import { factKinds } from "../facts/fact-kinds.ts";
import { type MetricSql, metricSql } from "../facts/metric-sql.ts";
import { amountColumns } from "../money/amounts.ts";
import type { ActualsAt, QueryContext } from "../query/query-context.ts";
import type { ReportLimits } from "../query/report-transaction.ts";

/**
 * The facts behind a cell of an actuals report, read at the report's position with the same conditions as the report:
 * the contributions of a part add up to its value in the report.
 * @param facts the live generation of the facts; it must have passed the report's position
 */
export async function explainActuals(
  facts: ReadModel,
  report: ActualsAt,
  cell: Cell,
  page: Page,
  limits: ReportLimits,
): Promise<readonly ExplainedPart[]> {
  const row = rowValues(report.query.groupBys, cell.groupBys);
  const shownGroups = (context: QueryContext) => groupsWithUnmasked(report, row, context);
  const parts = partsOf(requestedMetric(cell.metric)).map((metric) => ({ metric, row, shownGroups }));
  return explainParts(facts, narrowedTo(cell, report), parts, page, limits);
}

/** A union of selects of the groups to which an unmasked fact contributes in any metric of the report. */
function groupsWithUnmasked({ query }: ActualsAt, row: readonly RowValue[], context: QueryContext): string {
  const counted = query.metrics
    .flatMap((metric) => partsOf(requestedMetric(metric)))
    .map((metric) => ({ metric, counting: metricSql(metric, context) }));
  const selects = factKinds.flatMap((kind) => {
    const ofKind = counted.filter(({ counting }) => counting.over === kind);
    const metrics = ofKind.map(({ metric }) => metric);
    const condition = ofKind.map(({ counting }) => `${counting.condition} and ${contributes(counting)}`).join(" or ");
    return ofKind.length === 0 ? [] : [unmaskedGroups(kind, row, metrics, condition, context)];
  });
  return selects.join(" union ");
}

/** SQL of whether a fact that a metric counts makes a row be shown (contract/reports.md#rows). */
function contributes(counting: MetricSql): string {
  switch (counting.each) {
    case "fact":
    case "device":
      return "true";
    case "number":
      return `${counting.number} > 0`;
    case "amount":
      return `${amountColumns[counting.over]} is not null`;
    default:
      return assertNever(counting);
  }
}
