import { setTimeout as delay } from "node:timers/promises";
import type { JSONSchema } from "json-schema-to-ts";
import type { ReportKind } from "../../domain/report-tasks/events.ts";
import { isForgotten } from "../../domain/report-tasks/kept.ts";
import type { Operation } from "../../domain/tokens/permissions.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import { type Problem, problems } from "../../infra/http/problem.ts";
import { ok, type Reply, type Route, type RouteRequest, refuse, route } from "../../infra/http/route.ts";
import type { ReportTaskRow, SucceededReportTask, SucceededTaskOf } from "../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../projections/reports/result-pages.ts";

export interface ReportTaskReadOptions {
  /** A task of an app; null when the app has none of that id. */
  readonly reportTaskOf: (appId: number, taskId: string) => Promise<ReportTaskRow | null>;
  readonly results: StoredResults;
}

/** How one kind of report is read. */
export interface ReadableReport<Kind extends ReportKind, Query> {
  readonly report: Kind;
  /** Where its tasks stand, with `:task_id`. */
  readonly path: string;
  readonly operation: Operation;
  /** The schema of `Query`. */
  readonly query: JSONSchema;
  /** The body of a task that has no rows to show: not yet, or never. */
  withoutRows(task: ReportTaskRow): unknown;
  /** The answer of one whose rows are there. */
  answer(task: SucceededTaskOf<Kind>, results: StoredResults, query: Query): Promise<Reply>;
}

/** How long an answer waits for rows that must be computed again. */
const recomputedWithinMs = 5_000;
const askAgainMs = 50;

const rowsLost: Problem = {
  ...problems.unavailable,
  code: "REPORT_ROWS_BEING_COMPUTED",
  detail: "The rows of this report are being computed again from the log; try again.",
};

/** The route that reads a report (D7.1): 404 for one of another kind, one that is forgotten, and one of others. */
export function readReportRoute<Kind extends ReportKind, Query>(
  { reportTaskOf, results }: ReportTaskReadOptions,
  { report, path, operation, query: schema, withoutRows, answer }: ReadableReport<Kind, Query>,
): Route {
  const isOfKind = (task: SucceededReportTask): task is SucceededTaskOf<Kind> => task.report === report;
  const handle = async ({ app, params, principal, query, receivedAt }: RouteRequest<undefined, Query>) => {
    if (app === null) return refuse(problems.appNotFound);
    const task = isUuid(params.task_id) ? await reportTaskOf(app.appId, params.task_id) : null;
    if (task === null || task.report !== report || !maySee(principal, task) || isGone(task, receivedAt))
      return refuse(problems.reportTaskNotFound);
    if (task.stage !== "succeeded" || !isOfKind(task)) return ok(withoutRows(task));
    return (await hasRows(results, task)) ? answer(task, results, query) : refuse(rowsLost);
  };
  return route({
    method: "get",
    path,
    operation,
    query: schema,
    reads: "control",
    handle: (request) => handle(request as unknown as RouteRequest<undefined, Query>),
  });
}

/** Rows are derived (design 6): lost ones are asked for, and waited for a while. False: not there yet. */
async function hasRows(results: StoredResults, { taskId, rowsHash }: SucceededReportTask): Promise<boolean> {
  if (await results.has(taskId, rowsHash)) return true;
  await results.askAgain(taskId);
  const deadline = performance.now() + recomputedWithinMs;
  while (performance.now() < deadline) {
    await delay(askAgainMs);
    if (await results.has(taskId, rowsHash)) return true;
  }
  return false;
}

/** D2.3: a media partner sees reports over its very channels; every other role that may ask sees all of its app. */
function maySee(principal: Principal, { onlyChannels }: ReportTaskRow): boolean {
  if (principal.kind !== "token" || principal.role !== "media_partner") return true;
  const seen = new Set(principal.channels);
  return onlyChannels !== null && onlyChannels.length === seen.size && onlyChannels.every((name) => seen.has(name));
}

function isGone(task: ReportTaskRow, now: string): boolean {
  if (task.stage !== "succeeded" && task.stage !== "failed" && task.stage !== "canceled") return false;
  return isForgotten(task.endedAt.getTime(), Date.parse(now));
}

function isUuid(text: string | undefined): text is string {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text ?? "");
}
