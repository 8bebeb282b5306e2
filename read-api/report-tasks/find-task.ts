import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { isExpired } from "../../domain/report-tasks/report-task.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import { uuidOf } from "../../domain/values/uuid.ts";
import type { RouteRequest } from "../../infra/http/routing/route.ts";
import type { ReportTaskRow } from "../../projections/report-tasks/queries.ts";

/** A task, and whether it has its turn (contract/reports.md#tasks). */
export type FoundTask = ReportTaskRow & { readonly hasTurn?: boolean };

export interface ReportTaskQueries {
  /** A task of an app; null when the read model has none of that id, which must be a UUID. */
  reportTaskOf(appId: number, taskId: string): Promise<FoundTask | null>;
  /** The request of a task in the log; null when there is none of that id, which must be a UUID. */
  reportRequestOf(taskId: string): Promise<Pick<ReportTaskRow, "appId" | "onlyChannels"> | null>;
}

/**
 * The task that a path names as `:task_id`; null for one that is forgotten (contract/reports.md#tasks), of others, or
 * not there at all; "behind" for one that is in the log but not in the read model (contract/http.md#log-positions).
 */
export async function findTask(
  { reportTaskOf, reportRequestOf }: ReportTaskQueries,
  { appId }: Pick<RegisteredApp, "appId">,
  { params, principal, receivedAt }: Pick<RouteRequest<unknown, unknown>, "params" | "principal" | "receivedAt">,
): Promise<FoundTask | "behind" | null> {
  const taskId = uuidOf(params.task_id ?? "");
  if (taskId === null) return null;
  const task = await reportTaskOf(appId, taskId);
  if (task !== null) return maySee(principal, task) && !isGone(task, receivedAt) ? task : null;
  const request = await reportRequestOf(taskId);
  return request?.appId === appId && maySee(principal, request) ? "behind" : null;
}

/**
 * A media partner sees reports over its very channels (contract/tokens.md#permissions); every other role that may ask
 * sees all of its app.
 */
function maySee(principal: Principal, { onlyChannels }: Pick<ReportTaskRow, "onlyChannels">): boolean {
  if (principal.kind !== "token" || principal.role !== "media_partner") return true;
  const seen = new Set(principal.channels);
  return onlyChannels !== null && onlyChannels.length === seen.size && onlyChannels.every((name) => seen.has(name));
}

function isGone(task: ReportTaskRow, now: string): boolean {
  if (task.stage !== "succeeded" && task.stage !== "failed" && task.stage !== "canceled") return false;
  return isExpired(task.endedAt.getTime(), Date.parse(now));
}
