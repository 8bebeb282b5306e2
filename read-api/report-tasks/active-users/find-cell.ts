import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import { intervalsOf } from "../../../domain/reporting/active-users/intervals.ts";
import { activeUsersValue, isActiveUsersMetric, noActivity } from "../../../domain/reporting/active-users/metrics.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { ActiveUsersCell } from "../../../projections/reports/active-users/explain.ts";
import type { StoredResults } from "../../../projections/reports/results/result-pages.ts";
import {
  type CellAddress,
  type CellResolution,
  inapplicablePart,
  missingPart,
  unknownMetric,
  unknownPart,
} from "../cell-address.ts";
import { activeUsersGroup } from "./formats.ts";

/** A cell of an active users report: a metric of a row in an interval, which `date` names. */
export async function findActiveUsersCell(
  { taskId, query }: SucceededTaskOf<"active_users">,
  { row, metric, date, interval: number }: CellAddress,
  results: StoredResults,
  { timezone }: RegisteredApp,
): Promise<CellResolution<ActiveUsersCell>> {
  if (!isActiveUsersMetric(metric) || !query.metrics.includes(metric)) return unknownMetric(metric, query.metrics);
  if (number !== undefined) return inapplicablePart("interval");
  if (date === undefined) return missingPart("date");
  const interval = intervalsOf(query, timezone).numberOf(date);
  if (interval === null) return unknownPart("date");
  const stored = await results.row(taskId, row);
  if (stored === null) return unknownPart("row");
  const { groupBys, intervals, values } = activeUsersGroup(stored);
  const active = values[intervals.indexOf(interval)];
  return {
    outcome: "found",
    cell: { groupBys, metric, interval },
    value:
      active === undefined ? activeUsersValue(metric, noActivity) : (active[query.metrics.indexOf(metric)] ?? null),
    isMasked: null,
    times: metric === "app_arpu" || metric === "app_arppu" ? 1 : null,
  };
}
