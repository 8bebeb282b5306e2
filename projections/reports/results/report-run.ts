import type { Knex } from "knex";
import { assertNever } from "../../../domain/decider.ts";
import type { RequestedReport, ReportNotification } from "../../../domain/report-tasks/events.ts";
import type { ReadModel } from "../../projection.ts";
import { runActiveUsers } from "../active-users/run.ts";
import { runActuals } from "../actuals/run.ts";
import type { Standpoint } from "../query/query-context.ts";
import { type ReportLimits, wasCancelled } from "../query/report-transaction.ts";
import { runRetention } from "../retention/run.ts";
import { runRevenue } from "../revenue/run.ts";
import { type ReportResult, type StoreGuard, storeResult } from "./stored-rows.ts";

export type ReportRun =
  | {
      readonly outcome: "stored";
      readonly rowCount: number;
      readonly rowsHash: string;
      readonly notifications: readonly ReportNotification[];
    }
  | { readonly outcome: "too_slow" }
  /** One group of it has more rows than a result holds. */
  | { readonly outcome: "too_large" }
  /** The signal aborted before the rows were stored. */
  | { readonly outcome: "abandoned" };

/** Longest time of a statement of a report, unless told otherwise. */
const mostMs = 120_000;

/**
 * Computes a report and stores its rows in place of any that the task had.
 * @param db where the rows are stored; `guard` fails its transaction when another runner has taken over
 * @param signal aborts when nobody waits for the report any more: its statement is cancelled then
 */
export async function computeAndStore(
  facts: ReadModel,
  db: Knex,
  task: Standpoint & RequestedReport & { readonly taskId: string },
  guard: StoreGuard,
  signal: AbortSignal,
  timeoutMs = mostMs,
): Promise<ReportRun> {
  try {
    const result = await runReport(facts, task, { timeoutMs, signal });
    if (signal.aborted) return { outcome: "abandoned" };
    if (result === null) return { outcome: "too_large" };
    await storeResult(db, task.taskId, result, guard);
    const { rows, rowsHash, notifications } = result;
    return { outcome: "stored", rowCount: rows.length, rowsHash, notifications };
  } catch (failure) {
    if (signal.aborted) return { outcome: "abandoned" };
    if (wasCancelled(failure)) return { outcome: "too_slow" };
    throw failure;
  }
}

/** What a report of any kind is stored as; null when one group of it has more rows than a result holds. */
async function runReport(
  facts: ReadModel,
  report: Standpoint & RequestedReport,
  limits: ReportLimits,
): Promise<ReportResult | null> {
  switch (report.report) {
    case "actuals": {
      const { rows, ...result } = await runActuals(facts, report, limits);
      return {
        ...result,
        total: null,
        rows: rows.map(({ groupBys, ...cells }) => ({ groupBys, cells: JSON.stringify(cells) })),
      };
    }
    case "active_users": {
      const { rows, ...result } = await runActiveUsers(facts, report, limits);
      return {
        ...result,
        total: null,
        rows: rows.map(({ groupBys, ...cells }) => ({ groupBys, cells: JSON.stringify(cells) })),
      };
    }
    case "retention": {
      const result = await runRetention(facts, report, limits);
      if (result === null) return null;
      const rows = result.rows.map(({ groupBys, ...cells }) => ({ groupBys, cells: JSON.stringify(cells) }));
      return { ...result, rows, total: null };
    }
    case "revenue": {
      const result = await runRevenue(facts, report, limits);
      if (result === null) return null;
      const rows = result.rows.map(({ groupBys, ...cells }) => ({ groupBys, cells: JSON.stringify(cells) }));
      return { ...result, rows, total: result.total === null ? null : JSON.stringify(result.total) };
    }
  }
  return assertNever(report);
}
