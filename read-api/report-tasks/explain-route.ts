import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { reportLimits } from "../../domain/reporting/limits.ts";
import { type Problem, problems, validationFailed } from "../../infra/http/response/problem.ts";
import { type Route, refuse, route, writtenJson } from "../../infra/http/routing/route.ts";
import type { SucceededReportTask } from "../../projections/report-tasks/queries.ts";
import type { CellOfReport, Explanation } from "../../projections/reports/explain/explain.ts";
import type { Page } from "../../projections/reports/explain/explain-parts.ts";
import type { StoredResults } from "../../projections/reports/results/result-pages.ts";
import { hasRows, rowsLost } from "./ensure-rows.ts";
import { explainBody } from "./explain-schema.ts";
import { explanationAnswer } from "./explanation-response.ts";
import { knownTask, type ReportTaskOf } from "./find-task.ts";
import { cellNamed } from "./resolve-cell.ts";

export interface ExplainOptions {
  readonly reportTaskOf: ReportTaskOf;
  readonly results: StoredResults;
  /** What is behind a cell of a report of an app. */
  readonly explain: (
    app: RegisteredApp,
    task: SucceededReportTask,
    cell: CellOfReport,
    page: Page,
  ) => Promise<Explanation>;
}

const notSucceeded: Problem = { status: 409, code: "REPORT_NOT_SUCCEEDED" };
const tooSlow: Problem = { status: 503, code: "EXPLANATION_TOO_SLOW" };
/**
 * What a cell of a report is made of (contract/reports.md#lineage): the events and uploaded rows behind it, found at
 * the report's position, in pages whose contributions add up to the cell (what is withheld
 * (contract/reports.md#masking) is left out, and that is said). `row` is the group-by values of a row as the report
 * answers them, `metric` one of its metrics, `date` for active users an interval and for cohorts a sub-row (none: the
 * group itself), `interval` the number of one, which the metric of revenue and `returnUsers` need. For operators and
 * owners.
 */
export function explainRoute({ reportTaskOf, results, explain }: ExplainOptions): Route {
  return route({
    method: "post",
    path: "/admin/v1/apps/:app_name/report-tasks/:task_id/explain",
    operation: "administer_app",
    limit: "report-request",
    body: explainBody,
    reads: "control",
    handle: async (request) => {
      const { app, body } = request;
      if (app === null) return refuse(problems.appNotFound);
      const task = await knownTask(reportTaskOf, app, request);
      if (task === null) return refuse(problems.reportTaskNotFound);
      if (task.stage !== "succeeded") return refuse(notSucceeded);
      const { skip = 0, size = reportLimits.defaultPage, ...named } = body;
      if (!(await hasRows(results, task))) return refuse(rowsLost);
      const found = await cellNamed(task, named, results, app);
      if (found.outcome === "unknown") return refuse(validationFailed([found.fault]));
      const page = { skip, size };
      const explanation = await explain(app, task, found.asked, page);
      if (explanation.outcome === "too_slow") return refuse(tooSlow);
      return writtenJson(explanationAnswer(task, named, found, explanation.parts, page));
    },
  });
}
