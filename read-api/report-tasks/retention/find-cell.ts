import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import { beginningOf, unitsBetween } from "../../../domain/reporting/granularity.ts";
import { intervalCount } from "../../../domain/reporting/retention/row.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../../projections/reports/results/result-pages.ts";
import type { RetentionCell } from "../../../projections/reports/retention/explain.ts";
import {
  type CellAddress,
  type CellResolution,
  inapplicablePart,
  missingPart,
  unknownMetric,
  unknownPart,
} from "../cell-address.ts";
import { retentionRow } from "./formats.ts";

/**
 * A cell of a retention report: `startUsers`, or `value` in an interval; of the sub-row of a date, or without a date of
 * the group's own line.
 */
export async function findRetentionCell(
  { taskId, query, now }: SucceededTaskOf<"retention">,
  { row, metric, date, interval: numbered }: CellAddress,
  results: StoredResults,
  { timezone }: RegisteredApp,
): Promise<CellResolution<RetentionCell>> {
  const interval = numbered ?? null;
  if (metric !== "startUsers" && metric !== "value") return unknownMetric(metric, ["startUsers", "value"]);
  if (metric === "startUsers" && interval !== null) return inapplicablePart("interval");
  if (metric === "value" && interval === null) return missingPart("interval");
  const { granularity, from } = query;
  if (interval !== null && interval >= intervalCount({ granularity, from, timezone, now }))
    return unknownPart("interval");
  const stored = await results.row(taskId, row);
  if (stored === null) return unknownPart("row");
  const { groupBys, rows, total } = retentionRow(stored);
  const line = date === undefined ? total : rows.find((subRow) => subRow.date === date);
  if (line === undefined) return unknownPart("date");
  const first = beginningOf(from, timezone);
  const block = date === undefined ? null : unitsBetween(granularity, first, { date, instant: Date.parse(date) });
  // Undefined: the interval has not begun for the line.
  const value = interval === null ? line.startUsers : line.values[interval];
  return {
    outcome: "found",
    cell: { groupBys, block, interval },
    value: value === undefined || value === null ? null : String(value),
    isMasked: value === null,
    times: null,
  };
}
