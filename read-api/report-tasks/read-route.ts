import type { JSONSchema } from "json-schema-to-ts";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { ReportKind } from "../../domain/report-tasks/events.ts";
import type { Operation } from "../../domain/tokens/permissions.ts";
import type { Language } from "../../domain/values/language.ts";
import { notificationsIn } from "../../infra/http/i18n/messages.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { ok, type Reply, type Route, type RouteRequest, refuse, route } from "../../infra/http/routing/route.ts";
import type { ReportTaskRow, SucceededReportTask, SucceededTaskOf } from "../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../projections/reports/results/result-pages.ts";
import { hasRows, rowsLost } from "./ensure-rows.ts";
import { knownTask, type ReportTaskOf } from "./find-task.ts";

export interface ReportTaskReadOptions {
  readonly reportTaskOf: ReportTaskOf;
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
  /**
   * The body of a task that has no rows to show, not yet, or never; then why, in a language
   * (contract/http.md#languages).
   */
  withoutRows(task: ReportTaskRow, language: Language): unknown;
  /**
   * The answer of one whose rows are there; its notifications have the texts of the caller's language
   * (contract/http.md#languages).
   */
  answer(task: SucceededTaskOf<Kind>, results: StoredResults, query: Query, app: RegisteredApp): Promise<Reply>;
}

/**
 * The route that reads a report (contract/reports.md#tasks): 404 for one of another kind, one that is forgotten, and
 * one of others.
 */
export function readReportRoute<Kind extends ReportKind, Query>(
  { reportTaskOf, results }: ReportTaskReadOptions,
  { report, path, operation, query: schema, withoutRows, answer }: ReadableReport<Kind, Query>,
): Route {
  const isOfKind = (task: SucceededReportTask): task is SucceededTaskOf<Kind> => task.report === report;
  const handle = async (request: RouteRequest<undefined, Query>) => {
    const { app, query, language } = request;
    if (app === null) return refuse(problems.appNotFound);
    const task = await knownTask(reportTaskOf, app, request);
    if (task === null || task.report !== report) return refuse(problems.reportTaskNotFound);
    if (task.stage !== "succeeded" || !isOfKind(task)) return ok(withoutRows(task, language));
    if (!(await hasRows(results, task))) return refuse(rowsLost);
    const notifications = notificationsIn(language, task.notifications);
    return answer({ ...task, notifications }, results, query, app);
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
