import { failureNotifications } from "../../../domain/report-tasks/failure-notifications.ts";
import type { RevenueTotals } from "../../../domain/reporting/revenue/row.ts";
import type { ShownValue } from "../../../domain/reporting/revenue/values.ts";
import type { Language } from "../../../domain/values/language.ts";
import { notificationsIn } from "../../../infra/http/i18n/messages.ts";
import type { ReportTaskRow, SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { ResultPage } from "../../../projections/reports/results/result-pages.ts";
import type { StoredRow } from "../../../projections/reports/results/stored-rows.ts";
import type { RevenueGroup } from "../../../projections/reports/revenue/run.ts";
import { jsonArray, jsonObject } from "../json-text.ts";
import { taskAnswer } from "../task-response.ts";

/** A group of the report as it was computed. */
export function revenueGroup({ groupBys, cells }: StoredRow): RevenueGroup {
  return { groupBys, ...(JSON.parse(cells) as Omit<RevenueGroup, "groupBys">) };
}

/**
 * A task that has no rows to show: not yet, or never; then why it failed, in a language (contract/http.md#languages,
 * contract/reports.md#notifications).
 */
export function revenueAnswerWithoutRows(task: ReportTaskRow, language: Language) {
  if (task.stage !== "failed") return { data: taskAnswer(task) };
  return {
    data: taskAnswer(task),
    notification: notificationsIn(language, [failureNotifications[task.failure]]),
  };
}

/**
 * A page of groups of a report that has succeeded, as JSON (contract/reports.md#revenue). Values are number literals
 * with every digit that is stored (contract/money.md#exact-amounts).
 */
export function revenueAnswer(
  task: SucceededTaskOf<"revenue">,
  { rows, totalCount }: ResultPage,
  skip: number,
): string {
  const { status, taskId, endedAt, asOfPosition } = taskAnswer(task);
  return jsonObject({
    data: jsonObject({
      stats: jsonObject({ rows: jsonArray(rows.map(revenueGroup).map(shownGroup)) }),
      status: JSON.stringify(status),
      taskId: JSON.stringify(taskId),
      endedAt: JSON.stringify(endedAt),
      asOfPosition: JSON.stringify(asOfPosition),
      hasNext: JSON.stringify(skip + rows.length < totalCount),
      metadata: JSON.stringify({ totalCount }),
    }),
    notification: JSON.stringify(task.notifications),
  });
}

function shownGroup({ groupBys, rows, total }: RevenueGroup): string {
  const shown = rows.map((row) =>
    jsonObject({ date: JSON.stringify(row.date), total: jsonObject(totalsOf(row)), values: valuesOf(row) }),
  );
  return jsonObject({
    rows: jsonArray(shown),
    total: jsonObject({ ...totalsOf(total), values: valuesOf(total) }),
    metadata: JSON.stringify(groupBys.map((value) => value ?? "")),
  });
}

function totalsOf({ totalCost, totalRevenue, totalUniqueUsers }: RevenueTotals) {
  return {
    totalCost: cellOf(totalCost),
    totalRevenue: cellOf(totalRevenue),
    totalUniqueUsers: cellOf(totalUniqueUsers),
  };
}

function valuesOf({ values, masked }: RevenueTotals): string {
  const lost = new Set(masked);
  return jsonArray(values.map((value, interval) => cellOf({ value, isMasked: lost.has(interval) })));
}

function cellOf({ value, isMasked }: ShownValue): string {
  return `{"value":${value ?? "null"},"isMasked":${isMasked}}`;
}
