import { failureNotifications } from "../../domain/report-tasks/failure-notifications.ts";
import type { Language } from "../../domain/values/language.ts";
import { notificationsIn } from "../../infra/http/i18n/messages.ts";
import type { ReportTaskRow } from "../../projections/report-tasks/queries.ts";

const statuses = {
  requested: "PENDING",
  started: "RUNNING",
  succeeded: "SUCCESS",
  failed: "FAILURE",
  canceled: "CANCELED",
} as const;

/**
 * A task as it is answered. `asOfPosition` is the position that the report is computed at (contract/reports.md#tasks).
 */
export function taskAnswer(task: ReportTaskRow) {
  return {
    status: statuses[task.stage],
    taskId: task.taskId,
    endedAt: "endedAt" in task ? (task.endedAt?.toISOString() ?? null) : null,
    asOfPosition: task.position.toString(),
  };
}

/**
 * A task that has no rows to show: not yet, or never; then why it failed, in a language (contract/http.md#languages).
 */
export function answerWithoutRows(task: ReportTaskRow, language: Language) {
  if (task.stage !== "failed") return { task: taskAnswer(task) };
  return {
    task: taskAnswer(task),
    notifications: notificationsIn(language, [failureNotifications[task.failure]]),
  };
}
