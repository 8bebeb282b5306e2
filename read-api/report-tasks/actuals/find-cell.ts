import { requestedMetric } from "../../../domain/reporting/catalogue/catalogue.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { Cell } from "../../../projections/reports/explain/facts-of-cell.ts";
import type { StoredResults } from "../../../projections/reports/results/result-pages.ts";
import {
  type CellAddress,
  type CellResolution,
  inapplicablePart,
  unknownMetric,
  unknownPart,
} from "../cell-address.ts";
import { actualsRow } from "./formats.ts";

/** A cell of an actuals report: a metric of a row. */
export async function findActualsCell(
  { taskId, query }: SucceededTaskOf<"actuals">,
  { row, metric, date, interval }: CellAddress,
  results: StoredResults,
): Promise<CellResolution<Cell>> {
  const column = query.metrics.indexOf(metric);
  if (column < 0) return unknownMetric(metric, query.metrics);
  if (date !== undefined) return inapplicablePart("date");
  if (interval !== undefined) return inapplicablePart("interval");
  const stored = await results.row(taskId, row);
  if (stored === null) return unknownPart("row");
  const { groupBys, values, masked } = actualsRow(stored);
  const requested = requestedMetric(metric);
  return {
    outcome: "found",
    cell: { groupBys, metric },
    value: values[column] ?? null,
    isMasked: masked[column] ?? false,
    times: requested.kind === "ratio" ? requested.times : null,
  };
}
