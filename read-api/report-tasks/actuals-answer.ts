import { failureNotifications } from "../../domain/report-tasks/failure-notifications.ts";
import type { ReportTaskRow, SucceededReportTask } from "../../projections/report-tasks/queries.ts";
import type { ResultPage } from "../../projections/reports/result-pages.ts";
import type { ResultRow } from "../../projections/reports/run-actuals.ts";

const statuses = {
  requested: "PENDING",
  started: "RUNNING",
  succeeded: "SUCCESS",
  failed: "FAILURE",
  canceled: "CANCELED",
} as const;

/** A: Report task. `asOfPosition` is the position that the report is computed at (D7.1). */
export function taskAnswer(task: ReportTaskRow) {
  return {
    status: statuses[task.stage],
    taskId: task.taskId,
    endedAt: "endedAt" in task ? (task.endedAt?.toISOString() ?? null) : null,
    asOfPosition: task.position.toString(),
  };
}

/** A task that has no rows to show: not yet, or never; then why it failed. */
export function answerWithoutRows(task: ReportTaskRow) {
  if (task.stage !== "failed") return { task: taskAnswer(task) };
  return { task: taskAnswer(task), notifications: [failureNotifications[task.failure]] };
}

/**
 * A page of a report that has succeeded, as JSON (A: Actuals report, D7.6). Values are number literals with every digit
 * that is stored: a JavaScript number would round sums beyond 2^53 and lose those beyond 1.8e308 (D12).
 */
export function actualsAnswer(
  task: SucceededReportTask,
  { rows, totalCount }: ResultPage,
  asked: { readonly skip: number; readonly viewFormat: boolean },
): string {
  const shown = rows.map((row) => shownRow(row, task.query.metrics, asked.viewFormat));
  return jsonObject({
    task: JSON.stringify(taskAnswer(task)),
    actuals: jsonObject({
      data: jsonObject({ rows: `[${shown.join(",")}]` }),
      metadata: JSON.stringify({ rowCount: task.rowCount }),
    }),
    pagination: JSON.stringify({ hasNext: asked.skip + rows.length < totalCount, totalCount }),
    notifications: JSON.stringify(task.notifications),
  });
}

function shownRow(row: ResultRow, metrics: readonly string[], viewFormat: boolean): string {
  const cells = new Map(
    metrics.map((metric, index) => {
      const value = row.values[index] ?? null;
      const isMasked = row.masked[index] ?? false;
      // D7.7: a lower bound, and as such marked.
      const marked = viewFormat && isMasked ? `${value ?? "0"}+` : null;
      const cell = { value: value ?? "null", isMasked: String(isMasked), viewFormat: JSON.stringify(marked) };
      return [metric, jsonObject(cell)] as const;
    }),
  );
  const groupBys = JSON.stringify(row.groupBys.map((value) => value ?? ""));
  return jsonObject({ values: jsonObject(cells), groupBys });
}

/** A JSON object of members that are JSON text already. */
function jsonObject(members: ReadonlyMap<string, string> | { readonly [key: string]: string }): string {
  const entries = members instanceof Map ? [...members] : Object.entries(members);
  return `{${entries.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",")}}`;
}
