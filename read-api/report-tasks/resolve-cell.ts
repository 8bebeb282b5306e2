import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { assertNever } from "../../domain/decider.ts";
import { activeUsersValue, isActiveUsersMetric, noActivity } from "../../domain/reporting/active-users/catalogue.ts";
import { intervalsOf } from "../../domain/reporting/active-users/intervals.ts";
import { askedMetric } from "../../domain/reporting/catalogue/catalogue.ts";
import type { SucceededReportTask, SucceededTaskOf } from "../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../projections/reports/results/result-pages.ts";
import { activeUsersGroup } from "./active-users/response.ts";
import { actualsRow } from "./actuals/response.ts";
import { missing, type Named, type NamedCell, unknown } from "./cell-address.ts";
import { retentionCell } from "./retention/cell-address.ts";
import { revenueCell } from "./revenue/cell-address.ts";

/** A cell of a report by its names. Refuses names of what the report has not. */
export function cellNamed(
  task: SucceededReportTask,
  named: NamedCell,
  results: StoredResults,
  app: RegisteredApp,
): Promise<Named> {
  switch (task.report) {
    case "actuals":
      return actualsCell(task, named, results);
    case "active_users":
      return activeUsersCell(task, named, results, app);
    case "retention":
      return retentionCell(task, named, results, app);
    case "revenue":
      return revenueCell(task, named, results, app);
    default:
      return assertNever(task);
  }
}

async function actualsCell(
  { taskId, query }: SucceededTaskOf<"actuals">,
  { row, metric, date, interval }: NamedCell,
  results: StoredResults,
): Promise<Named> {
  const place = query.metrics.indexOf(metric);
  if (place < 0) return unknown("metric");
  if (date !== undefined) return unknown("date");
  if (interval !== undefined) return unknown("interval");
  const stored = await results.row(taskId, row);
  if (stored === null) return unknown("row");
  const { groupBys, values, masked } = actualsRow(stored);
  const counted = askedMetric(metric);
  return {
    outcome: "found",
    asked: { report: "actuals", query, cell: { groupBys, metric } },
    value: values[place] ?? null,
    isMasked: masked[place] ?? false,
    times: counted.kind === "ratio" ? counted.times : null,
  };
}

async function activeUsersCell(
  { taskId, query }: SucceededTaskOf<"active_users">,
  { row, metric, date, interval: numbered }: NamedCell,
  results: StoredResults,
  { timezone }: RegisteredApp,
): Promise<Named> {
  if (!isActiveUsersMetric(metric) || !query.metrics.includes(metric)) return unknown("metric");
  if (numbered !== undefined) return unknown("interval");
  if (date === undefined) return missing("date");
  const interval = intervalsOf(query, timezone).numberOf(date);
  if (interval === null) return unknown("date");
  const stored = await results.row(taskId, row);
  if (stored === null) return unknown("row");
  const { groupBys, intervals, values } = activeUsersGroup(stored);
  const happened = values[intervals.indexOf(interval)];
  return {
    outcome: "found",
    asked: { report: "active_users", query, cell: { groupBys, metric, interval } },
    value:
      happened === undefined ? activeUsersValue(metric, noActivity) : (happened[query.metrics.indexOf(metric)] ?? null),
    isMasked: null,
    times: metric === "app_arpu" || metric === "app_arppu" ? 1 : null,
  };
}
