import { groupBys } from "../../domain/reporting/catalogue/group-bys.ts";
import { reportLimits } from "../../domain/reporting/limits.ts";
import { type Problem, problems, validationFailed } from "../../infra/http/response/problem.ts";
import { appRoute, type Route, refuse, writtenJson } from "../../infra/http/routing/route.ts";
import type { ReadModel } from "../../projections/projection.ts";
import { type Explanation, explainInTime } from "../../projections/reports/explain/explain-in-time.ts";
import type { Page } from "../../projections/reports/explain/explanation.ts";
import { boundedReads } from "../bounded-reads.ts";
import { addsUp } from "./adds-up.ts";
import { awaitRows, notReproduced } from "./await-rows.ts";
import { csvReply } from "./csv-reply.ts";
import { explainDocs } from "./explain-docs.ts";
import { explanationCsv } from "./explanation-csv.ts";
import { explanationResponse } from "./explanation-response.ts";
import { findTask } from "./find-task.ts";
import { type ReportTaskReadOptions, reportPageFields } from "./read-route.ts";

/** Which cell to explain, and which page of its contributions. */
const explainBody = {
  type: "object",
  required: ["row", "metric"],
  additionalProperties: false,
  properties: {
    row: { type: "array", maxItems: Object.keys(groupBys).length, items: { type: "string" } },
    metric: { type: "string" },
    date: { type: "string" },
    interval: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    skip: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    size: { type: "integer", minimum: 1, maximum: reportLimits.explainedPage },
  },
} as const;

const explainQuery = { type: "object", properties: { format: reportPageFields.format } } as const;

interface ExplainOptions extends ReportTaskReadOptions {
  /** The live generation of the facts. */
  facts(): Promise<ReadModel>;
  /** Time limit of a statement (default 15 s). */
  readonly timeoutMs?: number;
}

const notSucceeded: Problem = { status: 409, code: "REPORT_NOT_SUCCEEDED" };
/** Contributions per page of a CSV. Each page reads the facts of the cell again. */
const csvPageSize = 20_000;
const tooSlow: Problem = { status: 503, code: "EXPLANATION_TOO_SLOW" };

/**
 * The events and uploaded rows behind a cell of a report (contract/reports.md#lineage), read at the report's position,
 * in pages whose contributions add up to the cell (masked ones are left out, and the reasons given;
 * contract/reports.md#masking). `row` is the group-by values of a row as in the report, `metric` one of its metrics,
 * `date` for active users an interval and for cohorts a sub-row (none: the group itself), `interval` the number of an
 * interval, which the metric of revenue and `value` of retention need. With `?format=csv` all contributions, as CSV.
 * For operators and owners.
 */
export function explainRoute(options: ExplainOptions): Route {
  const { reports, results, facts } = options;
  const reads = boundedReads("OVERLOADED.explanations", tooSlow);
  return appRoute({
    method: "post",
    path: "/admin/v1/apps/:app_name/report-tasks/:task_id/explain",
    docs: explainDocs(notSucceeded, tooSlow),
    operation: "administer_app",
    limit: "report-request",
    body: explainBody,
    query: explainQuery,
    reads: "control",
    handle: async (request) => {
      const { app, body, query } = request;
      const task = await findTask(options, app, request);
      if (task === "behind") return refuse(problems.readModelBehind);
      if (task === null) return refuse(problems.reportTaskNotFound);
      if (task.stage !== "succeeded") return refuse(notSucceeded);
      const { skip = 0, size = reportLimits.defaultPage, ...address } = body;
      const problem = task.isMomentLost === true ? notReproduced : await awaitRows(results, task);
      if (problem !== null) return refuse(problem);
      const report = reports.find(({ kind }) => kind === task.report);
      if (report === undefined) throw new Error(`There is no kind of report ${task.report}`);
      const found = await report.response.findCell(task, address, results, app);
      if (found.outcome === "unknown") return refuse(validationFailed([found.fault]));
      const { currency, timezone } = app;
      const at = { ...task, currency, timezone };
      const explain = async (page: Page): Promise<Explanation> =>
        explainInTime(report.computation, await facts(), at, found.cell, page, options.timeoutMs);
      const isCsv = query.format === "csv";
      const page = isCsv ? { skip: 0, size: csvPageSize } : { skip, size };
      const read = await reads.run(async () => {
        const explanation = await explain(page);
        return explanation.outcome === "too_slow" ? null : explanation;
      });
      if ("status" in read) return refuse(read);
      const { parts } = read.found;
      if (!addsUp(found, parts)) return refuse(notReproduced);
      const explainNext = (next: Page): Promise<Explanation> => reads.runNext(() => explain(next));
      if (isCsv) return csvReply("explanation", task.taskId, explanationCsv(parts, page, explainNext));
      return writtenJson(explanationResponse(task, address, found, parts, page));
    },
  });
}
