import { setTimeout as delay } from "node:timers/promises";
import type { Problem } from "../../infra/http/response/problem.ts";
import type { FoundReportTask, SucceededReportTask } from "../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../projections/reports/results/result-pages.ts";

/** How long a response waits for rows that must be computed again. */
const recomputedWithinMs = 5_000;
const pollMs = 50;

const beingComputed: Problem = { status: 503, code: "REPORT_ROWS_BEING_COMPUTED", retryAfterSeconds: 2 };
/** The facts give another result at the report's position than the report ended with. */
export const notReproduced: Problem = { status: 409, code: "REPORT_NOT_REPRODUCED" };

/** The problems of reading the rows of a report (contract/reports.md#tasks). */
export const problemsOfRows = [beingComputed, notReproduced] as const;

/**
 * Waits until the rows of a report are stored: lost ones are requested to be computed again, and awaited for up to 5 s.
 * Returns why they cannot be read; null: they are those that the task ended with.
 */
export async function awaitRows(
  results: StoredResults,
  { taskId, rowsHash, isMomentLost = false }: SucceededReportTask & Pick<FoundReportTask, "isMomentLost">,
): Promise<Problem | null> {
  const deadline = performance.now() + recomputedWithinMs;
  let stored = await results.hashOf(taskId);
  if (stored === null && isMomentLost) return notReproduced;
  if (stored === null) await results.requestRows(taskId);
  while (stored === null && performance.now() < deadline) {
    await delay(pollMs);
    stored = await results.hashOf(taskId);
  }
  if (stored === null) return beingComputed;
  return stored === rowsHash ? null : notReproduced;
}
