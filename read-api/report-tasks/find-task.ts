import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { coversChannels } from "../../domain/report-tasks/report-task.ts";
import { isExpired } from "../../domain/report-tasks/result-retention.ts";
import { reportTaskStream } from "../../domain/streams.ts";
import { visibleChannels } from "../../domain/tokens/visible-channels.ts";
import { uuidOf } from "../../domain/values/uuid.ts";
import type { RouteRequest } from "../../infra/http/routing/route.ts";
import type { FoundReportTask, ReportTaskRow } from "../../projections/report-tasks/queries.ts";
import { type PositionOf, withAsOfPosition } from "../../projections/reports/query/query-context.ts";
import type { LogReader } from "../log-reader.ts";

export interface ReportTaskQueries {
  /** A task of an app; null when the read model has none of that id, which must be a UUID. */
  reportTaskOf(appId: number, taskId: string): Promise<FoundReportTask | null>;
  /** The request of a task in the log; null when there is none of that id, which must be a UUID. */
  reportRequestOf(taskId: string): Promise<Pick<ReportTaskRow, "appId" | "onlyChannels"> | null>;
}

/** A task at the position of its `asOf`, or at that of its request if the log lacks the event. */
export async function atAsOfPosition<Task extends ReportTaskRow>(task: Task, positionOf: PositionOf) {
  return (await withAsOfPosition(task, positionOf)) ?? { ...task, isMomentLost: true };
}

/** Returns a function that reads the request of a task from the log, which has it before the read model. */
export function reportRequestReader(log: LogReader): ReportTaskQueries["reportRequestOf"] {
  return async (taskId) => {
    for await (const { type, data } of log.read(reportTaskStream(taskId))) {
      if (type === "ReportRequested") return data;
    }
    return null;
  };
}

/**
 * The task with the id `:task_id` of the path; null if it does not exist, the caller may not see it, or its retention
 * period has expired (contract/reports.md#tasks); "behind" if it is in the log but not in the read model
 * (contract/http.md#log-positions).
 */
export async function findTask(
  { reportTaskOf, reportRequestOf }: ReportTaskQueries,
  { appId }: Pick<RegisteredApp, "appId">,
  { params, principal, receivedAt }: Pick<RouteRequest<unknown, unknown>, "params" | "principal" | "receivedAt">,
): Promise<FoundReportTask | "behind" | null> {
  const taskId = uuidOf(params.task_id ?? "");
  if (taskId === null) return null;
  const task = await reportTaskOf(appId, taskId);
  const visible = visibleChannels(principal);
  if (task !== null) return coversChannels(visible, task) && !isGone(task, receivedAt) ? task : null;
  const request = await reportRequestOf(taskId);
  return request?.appId === appId && coversChannels(visible, request) ? "behind" : null;
}

function isGone(task: ReportTaskRow, now: string): boolean {
  if (task.stage !== "succeeded" && task.stage !== "failed" && task.stage !== "canceled") return false;
  return isExpired(task.endedAt.getTime(), Date.parse(now));
}
