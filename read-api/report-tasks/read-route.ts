import type { JSONSchema } from "json-schema-to-ts";
import type { ReportKind } from "../../domain/report-tasks/events.ts";
import type { Operation } from "../../domain/tokens/permissions.ts";
import { problems } from "../../infra/http/problem.ts";
import { ok, type Reply, type Route, type RouteRequest, refuse, route } from "../../infra/http/route.ts";
import type { ReportTaskRow, SucceededReportTask, SucceededTaskOf } from "../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../projections/reports/result-pages.ts";
import { knownTask, type ReportTaskOf } from "./known-task.ts";
import { hasRows, rowsLost } from "./rows-there.ts";

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
  /** The body of a task that has no rows to show: not yet, or never. */
  withoutRows(task: ReportTaskRow): unknown;
  /** The answer of one whose rows are there. */
  answer(task: SucceededTaskOf<Kind>, results: StoredResults, query: Query): Promise<Reply>;
}

/** The route that reads a report (D7.1): 404 for one of another kind, one that is forgotten, and one of others. */
export function readReportRoute<Kind extends ReportKind, Query>(
  { reportTaskOf, results }: ReportTaskReadOptions,
  { report, path, operation, query: schema, withoutRows, answer }: ReadableReport<Kind, Query>,
): Route {
  const isOfKind = (task: SucceededReportTask): task is SucceededTaskOf<Kind> => task.report === report;
  const handle = async (request: RouteRequest<undefined, Query>) => {
    const { app, query } = request;
    if (app === null) return refuse(problems.appNotFound);
    const task = await knownTask(reportTaskOf, app, request);
    if (task === null || task.report !== report) return refuse(problems.reportTaskNotFound);
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
