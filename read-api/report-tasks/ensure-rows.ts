import { setTimeout as delay } from "node:timers/promises";
import type { Problem } from "../../infra/http/response/problem.ts";
import type { SucceededReportTask } from "../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../projections/reports/results/result-pages.ts";

/** How long an answer waits for rows that must be computed again. */
const recomputedWithinMs = 5_000;
const askAgainMs = 50;

export const rowsLost: Problem = { status: 503, code: "REPORT_ROWS_BEING_COMPUTED", retryAfterSeconds: 2 };

/** Rows are derived: lost ones are asked for, and waited for a while. False: not there yet. */
export async function hasRows(results: StoredResults, { taskId, rowsHash }: SucceededReportTask): Promise<boolean> {
  if (await results.has(taskId, rowsHash)) return true;
  await results.askAgain(taskId);
  const deadline = performance.now() + recomputedWithinMs;
  while (performance.now() < deadline) {
    await delay(askAgainMs);
    if (await results.has(taskId, rowsHash)) return true;
  }
  return false;
}
