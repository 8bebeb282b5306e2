import { requestedMetric } from "../../../domain/reporting/catalogue/catalogue.ts";
import { partsOf } from "../../../domain/reporting/catalogue/metric.ts";
import type { ReadModel } from "../../projection.ts";
import { type Cell, narrowedTo, rowValues } from "../explain/cell.ts";
import { type ExplainedPart, explainParts, type Page } from "../explain/explanation.ts";
import type { ActualsAt } from "../query/query-context.ts";
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
  const parts = partsOf(requestedMetric(cell.metric)).map((metric) => ({ metric, row }));
  return explainParts(facts, narrowedTo(cell, report), parts, page, limits);
}
