import type { JSONSchema } from "json-schema-to-ts";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { ReportKind } from "../../domain/report-tasks/events.ts";
import type { QueryMetadata } from "../../domain/reporting/catalogue/query-metadata.ts";
import { reportLimits } from "../../domain/reporting/limits.ts";
import { notificationsIn } from "../../infra/http/i18n/messages.ts";
import { problems } from "../../infra/http/response/problem.ts";
import type { ReportEndpoint } from "../../infra/http/routing/report-endpoint.ts";
import { appRoute, ok, type Reply, type Route, refuse } from "../../infra/http/routing/route.ts";
import type { SucceededTaskOf } from "../../projections/report-tasks/queries.ts";
import type { ReportComputation } from "../../projections/reports/results/report-computation.ts";
import type { StoredResults } from "../../projections/reports/results/result-pages.ts";
import { awaitRows } from "./await-rows.ts";
import type { CellAddress, CellResolution } from "./cell-address.ts";
import { type ReportResponseDocs, readReportDocs } from "./docs.ts";
import { findTask, type ReportTaskQueries } from "./find-task.ts";
import { limitLargeResponses, type RespondWithRows } from "./large-responses.ts";
import { responseWithoutRows } from "./task-response.ts";

/** Query parameters of every report's GET (contract/reports.md#tasks, contract/reports.md#rows). */
export const reportPageFields = {
  skip: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  size: { type: "integer", minimum: 1, maximum: reportLimits.page },
  format: { type: "string", enum: ["json", "csv"] },
} as const;

/** How one kind of report is read: the part of its module that shapes responses. */
export interface ReportResponse<Kind extends ReportKind = ReportKind, Query = unknown, Cell = unknown> {
  /** The schema of `Query`. */
  readonly query: JSONSchema;
  readonly docs: ReportResponseDocs;
  /**
   * The response of a task whose rows are stored; its notifications are in the caller's language already
   * (contract/http.md#languages).
   */
  respond(task: SucceededTaskOf<Kind>, results: StoredResults, query: Query, app: RegisteredApp): Promise<Reply>;
  /** The cell at an address, as the computation of the report explains it. */
  findCell(
    task: SucceededTaskOf<Kind>,
    address: CellAddress,
    results: StoredResults,
    app: RegisteredApp,
  ): Promise<CellResolution<Cell>>;
}

/** A kind of report that can be read and explained. */
export interface ReadableReport extends ReportEndpoint {
  readonly computation: ReportComputation;
  readonly response: ReportResponse;
  /** Its lists of metadata; null: its fields and metrics have routes of their own. */
  readonly metadata: QueryMetadata | null;
}

export interface ReportTaskReadOptions extends ReportTaskQueries {
  readonly reports: readonly ReadableReport[];
  readonly results: StoredResults;
}

/** The routes that read reports (contract/reports.md#tasks). */
export function reportTaskReadRoutes(options: ReportTaskReadOptions): readonly Route[] {
  const respondWithRows = limitLargeResponses(options.results);
  return options.reports.map((report) => readReportRoute(options, report, respondWithRows));
}

/** 404 for a task of another kind, an expired one, and one that the caller may not see. */
function readReportRoute(
  options: ReportTaskReadOptions,
  report: ReadableReport,
  respondWithRows: RespondWithRows,
): Route {
  const { kind, path, operation, taskMember, response } = report;
  return appRoute({
    method: "get",
    path: `${path}/:task_id`,
    docs: readReportDocs(report, response.docs),
    operation,
    query: response.query,
    reads: "control",
    handle: async (request) => {
      const { app, query, language } = request;
      const task = await findTask(options, app, request);
      if (task === "behind") return refuse(problems.readModelBehind);
      if (task === null || task.report !== kind) return refuse(problems.reportTaskNotFound);
      if (task.stage !== "succeeded") return ok(responseWithoutRows(taskMember.get, task, language));
      const problem = await awaitRows(options.results, task);
      if (problem !== null) return refuse(problem);
      const notifications = notificationsIn(language, task.notifications);
      return respondWithRows(app.appId, task.taskId, (results) =>
        response.respond({ ...task, notifications }, results, query, app),
      );
    },
  });
}
