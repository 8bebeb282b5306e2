import { setTimeout as delay } from "node:timers/promises";
import { isForgotten } from "../../domain/report-tasks/kept.ts";
import { actualsLimits } from "../../domain/reporting/catalogue.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import { type Problem, problems } from "../../infra/http/problem.ts";
import { ok, type Reply, type Route, refuse, route, writtenJson } from "../../infra/http/route.ts";
import type { ReportTaskRow, SucceededReportTask } from "../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../projections/reports/result-pages.ts";
import { actualsAnswer, answerWithoutRows } from "./actuals-answer.ts";
import { actualsCsv } from "./actuals-csv.ts";
import { actualsPageQuery } from "./schemas.ts";

export interface ReportTaskReadOptions {
  /** A task of an app; null when the app has none of that id. */
  readonly reportTaskOf: (appId: number, taskId: string) => Promise<ReportTaskRow | null>;
  readonly results: StoredResults;
}

/** How long an answer waits for rows that must be computed again. */
const recomputedWithinMs = 5_000;
const askAgainMs = 50;

const rowsLost: Problem = {
  ...problems.unavailable,
  code: "REPORT_ROWS_BEING_COMPUTED",
  detail: "The rows of this report are being computed again from the log; try again.",
};

/** The routes that read reports (A: Actuals report). */
export function reportTaskReadRoutes({ reportTaskOf, results }: ReportTaskReadOptions): readonly Route[] {
  return [
    route({
      method: "get",
      path: "/reports/api/v7/apps/:app_name/actuals/query/:task_id",
      operation: "report_actuals",
      query: actualsPageQuery,
      reads: "control",
      handle: async ({ app, params, principal, query, receivedAt }) => {
        if (app === null) return refuse(problems.appNotFound);
        const task = isUuid(params.task_id) ? await reportTaskOf(app.appId, params.task_id) : null;
        if (task === null || !maySee(principal, task) || isGone(task, receivedAt))
          return refuse(problems.reportTaskNotFound);
        if (task.stage !== "succeeded") return ok(answerWithoutRows(task));
        if (!(await hasRows(results, task))) return refuse(rowsLost);
        if (query.format === "csv") return csvReply(task, results);
        const { skip = 0, size = actualsLimits.defaultPage, keyword = "", viewFormat = false } = query;
        const page = await results.page(task.taskId, task.rowCount, { skip, size, keyword });
        return writtenJson(actualsAnswer(task, page, { skip, viewFormat }));
      },
    }),
  ];
}

async function csvReply(task: SucceededReportTask, results: StoredResults): Promise<Reply> {
  const whole = { skip: 0, size: actualsLimits.rows, keyword: "" };
  const { rows } = await results.page(task.taskId, task.rowCount, whole);
  return {
    kind: "written",
    text: actualsCsv(task.query, rows),
    mediaType: "text/csv; charset=utf-8; header=present",
    headers: { "Content-Disposition": `attachment; filename="actuals-${task.taskId}.csv"` },
  };
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
