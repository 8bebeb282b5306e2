import { intervalsOf } from "../../../domain/reporting/active-users/intervals.ts";
import { type ActiveUsersMetric, countedFor } from "../../../domain/reporting/active-users/metrics.ts";
import type { ReadModel } from "../../projection.ts";
import { type ExplainedPart, explainParts, type Page } from "../explain/explanation.ts";
import { type Cell, narrowedTo, rowValues, unmaskedGroups } from "../explain/facts-of-cell.ts";
import type { QueryContext, ReportAt } from "../query/query-context.ts";
import type { ReportLimits } from "../query/report-transaction.ts";
import { isInInterval, isOfWholeDays } from "./interval-number.ts";
import { activityMetrics, userMetricSql } from "./user-counts.ts";

/** A cell of an active users report. */
export interface ActiveUsersCell extends Cell {
  readonly metric: ActiveUsersMetric;
  /** The number of its interval, from 0. */
  readonly interval: number;
}

/**
 * The facts behind a cell of an active users report (contract/reports.md#active-users), read at the report's position
 * with the same conditions as the report. For users every event is listed: the first of each device in the cell adds 1
 * and the device's others 0. A metric per user has two parts, the revenue and the users.
 * @param facts the live generation of the facts; it must have passed the report's position
 */
export async function explainActiveUsers(
  facts: ReadModel,
  report: ReportAt<"active_users">,
  cell: ActiveUsersCell,
  page: Page,
  limits: ReportLimits,
): Promise<readonly ExplainedPart[]> {
  const row = rowValues(report.query.groupBys, cell.groupBys);
  // The dates of the interval are enough where it is one of whole days.
  const inCell = isOfWholeDays(report.query.granularity)
    ? {}
    : { isInCell: ({ bind }: QueryContext) => isInInterval(report, cell.interval, bind) };
  const parts = partsCounted(cell.metric).map((counted) => ({
    metric: activityMetrics[counted],
    row,
    ...inCell,
    // Unmasked facts of any interval show their group.
    shownGroups: (ofCell: QueryContext) => {
      const context = { ...ofCell, report };
      const { metrics, condition } = userMetricSql(counted === "active" ? "active" : "paying", context);
      return unmaskedGroups("appEvents", row, metrics, condition, context);
    },
  }));
  const narrowed = narrowedTo(cell, ofInterval(cell.interval, report));
  return explainParts(facts, narrowed, parts, page, limits, report.query);
}

/** What is counted for a metric; for a ratio the numerator first. */
function partsCounted(metric: ActiveUsersMetric) {
  return [...countedFor[metric]].sort((one, other) => Number(other === "revenue") - Number(one === "revenue"));
}

/** The report over the dates of one of its intervals, so that only facts of these dates are read. */
function ofInterval(interval: number, report: ReportAt<"active_users">): ReportAt<"active_users"> {
  const { query, timezone } = report;
  return { ...report, query: { ...query, ...intervalsOf(query, timezone).datesOf(interval) } };
}
