import { failureNotifications } from "../../domain/reporting/notifications.ts";
import type { Language } from "../../domain/values/language.ts";
import { notificationsIn } from "../../infra/http/i18n/messages.ts";
import type { TaskMember } from "../../infra/http/routing/report-endpoint.ts";
import type { FoundReportTask } from "../../projections/report-tasks/queries.ts";

export const statuses = {
  requested: "PENDING",
  started: "RUNNING",
  succeeded: "SUCCESS",
  failed: "FAILURE",
  canceled: "CANCELED",
} as const;

/**
 * The task of a report in a response. `asOfPosition` is the position that the report is computed at
 * (contract/reports.md#tasks).
 */
export function taskResponse(task: FoundReportTask) {
  return {
    status: task.stage === "requested" && task.hasTurn ? statuses.started : statuses[task.stage],
    taskId: task.taskId,
    endedAt: "endedAt" in task ? (task.endedAt?.toISOString() ?? null) : null,
    asOfPosition: task.position.toString(),
  };
}

/** The body of a task without rows, with the reason of a failure in a language (contract/http.md#languages). */
export function responseWithoutRows(member: TaskMember, task: FoundReportTask, language: Language): object {
  const body = { [member]: taskResponse(task) };
  if (task.stage !== "failed") return body;
  const notifications = notificationsIn(language, [failureNotifications[task.failure]]);
  return { ...body, [notificationsMember[member]]: notifications };
}

/** Beside the task; the singular is part of the contract. */
const notificationsMember = { task: "notifications", data: "notification" } as const;
