import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { reportLimits } from "../../domain/reporting/report-limits.ts";
import { type Problem, problems } from "../../infra/http/problem.ts";
import { type Route, refuse, route, writtenJson } from "../../infra/http/route.ts";
import type { SucceededTaskOf } from "../../projections/report-tasks/queries.ts";
import type { Page } from "../../projections/reports/explain-actuals.ts";
import type { Cell } from "../../projections/reports/explain-cell.ts";
import type { Explanation } from "../../projections/reports/explain-in-time.ts";
import type { StoredResults } from "../../projections/reports/result-pages.ts";
import { actualsRow } from "./actuals-answer.ts";
import { explainBody } from "./explain-schema.ts";
import { explanationAnswer } from "./explanation-answer.ts";
import { knownTask, type ReportTaskOf } from "./known-task.ts";
import { hasRows, rowsLost } from "./rows-there.ts";

export interface ExplainOptions {
  readonly reportTaskOf: ReportTaskOf;
  readonly results: StoredResults;
  /** What is behind a cell of a report of an app. */
  readonly explain: (
    app: RegisteredApp,
    task: SucceededTaskOf<"actuals">,
    cell: Cell,
    page: Page,
  ) => Promise<Explanation>;
}

const notSucceeded: Problem = {
  status: 409,
  code: "REPORT_NOT_SUCCEEDED",
  title: "Conflict",
  detail: "There is no result to explain: the report has not ended yet, or it failed or was canceled.",
};
const notExplained: Problem = {
  status: 409,
  code: "REPORT_NOT_EXPLAINABLE",
  title: "Conflict",
  detail: "Only cells of actuals reports can be explained.",
};
const tooSlow: Problem = {
  status: 503,
  code: "EXPLANATION_TOO_SLOW",
  title: "Service unavailable",
  detail:
    "It took too long to find what is behind this cell. Ask for a report with more group-bys, fewer days or a filter, and explain its cells.",
};
/** The report has no such row, or no such metric. */
function unknown(what: "row" | "metric"): Problem {
  const fault = { loc: ["body", what], msg: `is not a ${what} of this report`, type: "not_allowed" };
  return { ...problems.validationFailed, errors: [fault] };
}

/**
 * What a cell of a report is made of: the events and uploaded rows behind it, found at the report's position, in pages
 * whose contributions add up to the cell (what D7.7 withholds is left out, and that is said). `row` is
 * the group-by values of a row as the report answers them, `metric` one of its metrics. For operators and owners.
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
      if (task.report !== "actuals") return refuse(notExplained);
      if (task.stage !== "succeeded") return refuse(notSucceeded);
      const { row, metric, skip = 0, size = reportLimits.defaultPage } = body;
      const place = task.query.metrics.indexOf(metric);
      if (place < 0) return refuse(unknown("metric"));
      if (!(await hasRows(results, task))) return refuse(rowsLost);
      const stored = await results.row(task.taskId, row);
      if (stored === null) return refuse(unknown("row"));
      const { groupBys, values, masked } = actualsRow(stored);
      const page = { skip, size };
      const explanation = await explain(app, task, { groupBys, metric }, page);
      if (explanation.outcome === "too_slow") return refuse(tooSlow);
      const cell = { row, metric, value: values[place] ?? null, isMasked: masked[place] ?? false };
      return writtenJson(explanationAnswer(task, cell, explanation.parts, page));
    },
  });
}
