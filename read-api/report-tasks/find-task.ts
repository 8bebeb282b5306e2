import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { isExpired } from "../../domain/report-tasks/report-task.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import { uuidOf } from "../../domain/values/uuid.ts";
import type { RouteRequest } from "../../infra/http/routing/route.ts";
import type { ReportTaskRow } from "../../projections/report-tasks/queries.ts";

/** A task, and whether it has its turn (contract/reports.md#tasks). */
export type FoundTask = ReportTaskRow & { readonly hasTurn?: boolean };

/** A task of an app; null when the app has none of that id, which must be a UUID. */
export type ReportTaskOf = (appId: number, taskId: string) => Promise<FoundTask | null>;

/**
 * The task that a path names as `:task_id`; null for one that is forgotten (contract/reports.md#tasks), of others, or
 * not there at all.
 */
export async function findTask(
  reportTaskOf: ReportTaskOf,
  { appId }: Pick<RegisteredApp, "appId">,
  { params, principal, receivedAt }: Pick<RouteRequest<unknown, unknown>, "params" | "principal" | "receivedAt">,
): Promise<FoundTask | null> {
  const taskId = uuidOf(params.task_id ?? "");
  const task = taskId === null ? null : await reportTaskOf(appId, taskId);
  return task === null || !maySee(principal, task) || isGone(task, receivedAt) ? null : task;
}

/**
 * A media partner sees reports over its very channels (contract/tokens.md#permissions); every other role that may ask
 * sees all of its app.
 */
function maySee(principal: Principal, { onlyChannels }: ReportTaskRow): boolean {
  if (principal.kind !== "token" || principal.role !== "media_partner") return true;
  const seen = new Set(principal.channels);
  return onlyChannels !== null && onlyChannels.length === seen.size && onlyChannels.every((name) => seen.has(name));
}

function isGone(task: ReportTaskRow, now: string): boolean {
  if (task.stage !== "succeeded" && task.stage !== "failed" && task.stage !== "canceled") return false;
  return isExpired(task.endedAt.getTime(), Date.parse(now));
}
