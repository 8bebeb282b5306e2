import { setTimeout as delay } from "node:timers/promises";
import type { Problem } from "../../infra/http/response/problem.ts";
import type { SucceededReportTask } from "../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../projections/reports/results/result-pages.ts";

/** How long a response waits for rows that must be computed again. */
const recomputedWithinMs = 5_000;
const pollMs = 50;

export const rowsBeingComputed: Problem = { status: 503, code: "REPORT_ROWS_BEING_COMPUTED", retryAfterSeconds: 2 };

/** Whether the rows of a report are stored. Lost rows are requested to be computed again, and awaited for up to 5 s. */
export async function ensureRows(results: StoredResults, { taskId, rowsHash }: SucceededReportTask): Promise<boolean> {
  if (await results.has(taskId, rowsHash)) return true;
  await results.requestRows(taskId);
  const deadline = performance.now() + recomputedWithinMs;
  while (performance.now() < deadline) {
    await delay(pollMs);
    if (await results.has(taskId, rowsHash)) return true;
  }
  return false;
}
