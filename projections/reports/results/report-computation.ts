import type { Knex } from "knex";
import type { ReportKind, ReportNotification, RequestedReport } from "../../../domain/report-tasks/events.ts";
import type { ChannelMonth } from "../../../domain/reporting/masking.ts";
import {
  exchangeRateMissing,
  filteredByChannel,
  type MissingRate,
  tooOld,
  withheldMonths,
} from "../../../domain/reporting/notifications.ts";
import type { ReadModel } from "../../projection.ts";
import type { ExplainedPart, Page } from "../explain/explanation.ts";
import { reasonsOf } from "../masking/masked-facts.ts";
import type { ReportAt, ReportScope } from "../query/query-context.ts";
import { type ReportLimits, wasCancelled } from "../query/report-transaction.ts";
import { mapInTurns } from "./map-in-turns.ts";
import { rowsHash } from "./rows-hash.ts";
import { type StoredRow, type StoreGuard, storeResult } from "./stored-rows.ts";

/** The part of a report module that reads the facts: computes and explains one kind of report. */
export interface ReportComputation<Kind extends ReportKind = ReportKind, Cell = unknown> {
  /** Computes the report at its position; null when its first group alone has more rows than a result holds. */
  run(facts: ReadModel, report: ReportAt<Kind>, limits: ReportLimits): Promise<ComputedReport | null>;
  /** The facts that a cell is made of. */
  explain(
    facts: ReadModel,
    report: ReportAt<Kind>,
    cell: Cell,
    page: Page,
    limits: ReportLimits,
  ): Promise<readonly ExplainedPart[]>;
}

export interface ComputedReport<Row extends ReportRow = ReportRow, Total = object> {
  /** In order. Group-by values that are missing are null. */
  readonly rows: readonly Row[];
  /** The same rows as they are stored: everything but `groupBys` is the cells of a row. */
  readonly stored: readonly StoredRow[];
  /** All rows together; null when the report has no such row. */
  readonly total: Total | null;
  /** SHA-256 over rows and total, hex: the same whenever the report is computed at its position. */
  readonly rowsHash: string;
  readonly notifications: readonly ReportNotification[];
}

interface ReportRow {
  readonly groupBys: readonly (string | null)[];
}

/**
 * A computed report with its hash and notifications (contract/reports.md#notifications).
 * @param found `maskingReasons`: why facts were masked, as bits; `exceeded`: whether the result has only the first rows
 */
export async function computedReport<Row extends ReportRow, Total extends object = never>(
  { onlyChannels }: Pick<ReportScope, "onlyChannels">,
  found: {
    readonly rows: readonly Row[];
    readonly total?: Total | null;
    readonly maskingReasons: number;
    /** Channel-months with masked facts. */
    readonly withheld: readonly Pick<ChannelMonth, "channel" | "month">[];
    readonly exceeded: ReportNotification | null;
    readonly missingRates: readonly MissingRate[];
  },
): Promise<ComputedReport<Row, Total>> {
  const { rows, total = null, maskingReasons, withheld, exceeded, missingRates } = found;
  const hash = rowsHash();
  const stored = await mapInTurns(rows, ({ groupBys, ...more }: ReportRow) => {
    const row = { groupBys, cells: JSON.stringify(more) };
    hash.add(row);
    return row;
  });
  return {
    rows,
    stored,
    total,
    rowsHash: hash.digest(total && JSON.stringify(total)),
    notifications: [
      ...(onlyChannels === null ? [] : [filteredByChannel]),
      ...reasonsOf(maskingReasons).map((reason) => (reason === "small_month" ? withheldMonths(withheld) : tooOld)),
      ...(exceeded === null ? [] : [exceeded]),
      ...(missingRates.length === 0 ? [] : [exchangeRateMissing(missingRates)]),
    ],
  };
}

export type ReportRun =
  | {
      readonly outcome: "stored";
      readonly rowCount: number;
      readonly rowsHash: string;
      readonly notifications: readonly ReportNotification[];
    }
  | { readonly outcome: "too_slow" }
  /** A group of the report has more rows than a result may have. */
  | { readonly outcome: "too_large" }
  /** The signal aborted before the rows were stored. */
  | { readonly outcome: "abandoned" };

/** Default time limit of a statement of a report. */
const maxRunMs = 120_000;

export interface ReportToStore {
  readonly computation: Pick<ReportComputation, "run">;
  readonly facts: ReadModel;
  /** Where the rows are stored. */
  readonly db: Knex;
  readonly task: ReportScope & RequestedReport & { readonly taskId: string };
  /** Fails the transaction that stores the rows when another runner has taken over. */
  readonly guard: StoreGuard;
  /** Aborts when the report is no longer needed: its statement is cancelled. */
  readonly signal: AbortSignal;
  /** Time limit of a statement of the report. */
  readonly timeoutMs?: number;
}

/** Computes a report and stores its rows in place of any that the task had. */
export async function computeAndStore({ computation, facts, db, task, ...run }: ReportToStore): Promise<ReportRun> {
  const { guard, signal, timeoutMs = maxRunMs } = run;
  try {
    const result = await computation.run(facts, task, { timeoutMs, signal });
    if (signal.aborted) return { outcome: "abandoned" };
    if (result === null) return { outcome: "too_large" };
    const { stored: rows, total, rowsHash, notifications } = result;
    await storeResult(db, task.taskId, { rows, total: total && JSON.stringify(total), rowsHash }, guard);
    return { outcome: "stored", rowCount: rows.length, rowsHash, notifications };
  } catch (failure) {
    if (signal.aborted) return { outcome: "abandoned" };
    if (wasCancelled(failure)) return { outcome: "too_slow" };
    throw failure;
  }
}
