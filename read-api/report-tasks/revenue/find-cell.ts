import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import { beginningOf, unitsBetween } from "../../../domain/reporting/granularity.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../../projections/reports/results/result-pages.ts";
import { type RevenueCell, revenueTotals } from "../../../projections/reports/revenue/explain.ts";
import {
  type CellAddress,
  type CellResolution,
  inapplicablePart,
  missingPart,
  unknownMetric,
  unknownPart,
} from "../cell-address.ts";
import { revenueGroup } from "./formats.ts";

/** The factor of quotients. */
const times: { readonly [metric: string]: number } = { app_arpu: 1, app_arppu: 1, app_roas: 100 };

/**
 * A cell of a revenue report: a total, or the query's metric in an interval; of the sub-row of a date, or without a
 * date of the group's own line.
 */
export async function findRevenueCell(
  { taskId, query }: SucceededTaskOf<"revenue">,
  { row, metric, date, interval }: CellAddress,
  results: StoredResults,
  { timezone }: RegisteredApp,
): Promise<CellResolution<RevenueCell>> {
  const total = revenueTotals.find((name) => name === metric);
  if (total === undefined && metric !== query.metric) return unknownMetric(metric, [...revenueTotals, query.metric]);
  if (total !== undefined && interval !== undefined) return inapplicablePart("interval");
  if (total === undefined && interval === undefined) return missingPart("interval");
  const stored = await results.row(taskId, row);
  if (stored === null) return unknownPart("row");
  const { groupBys, rows, total: own } = revenueGroup(stored);
  const line = date === undefined ? own : rows.find((subRow) => subRow.date === date);
  if (line === undefined) return unknownPart("date");
  const first = beginningOf(query.from, timezone);
  const block = date === undefined ? null : unitsBetween(query.granularity, first, { date, instant: Date.parse(date) });
  if (total !== undefined) {
    return { outcome: "found", cell: { groupBys, block, counts: { total } }, ...line[total], times: null };
  }
  const value = interval === undefined ? undefined : line.values[interval];
  if (interval === undefined || value === undefined) return unknownPart("interval");
  return {
    outcome: "found",
    cell: { groupBys, block, counts: { metric: query.metric, interval } },
    value,
    isMasked: line.masked.includes(interval),
    times: times[metric] ?? null,
  };
}
