import type { ExportCompleted } from "../../domain/raw-exports/events.ts";
import { type ExportDayCommand, exportDay } from "../../domain/raw-exports/export-day.ts";
import { placeOf } from "../../domain/raw-exports/report-id.ts";
import { rawExportsStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { derivedUuid } from "../derived-ids.ts";
import { handleCommand } from "../handle-command.ts";
import type { GiveUpReason, Reactor } from "../reactors/reactor.ts";
import { retryForOneMinute } from "../reactors/retry-policy.ts";
import { type FactsProgress, runnableAmong } from "../reactors/runnable-work.ts";

/** An export of the to-do list. */
export interface ExportToRun {
  readonly reportId: number;
  readonly appId: number;
  /** Log position at which its rows are read. */
  readonly position: bigint;
  /** When it was requested. */
  readonly now: Date;
}

type ExportedFile = Omit<ExportCompleted["data"], "reportId" | "endedAt">;
type ExportOutcome = ExportedFile | { readonly reason: GiveUpReason };

export interface ExporterDeps<Export extends ExportToRun> extends FactsProgress {
  readonly log: EventLog;
  /** Exports that have not ended, the oldest of each app first. */
  openExports(max: number): Promise<readonly Export[]>;
  /** Reads all rows of an export, and measures their CSV file; rejects once `signal` has aborted. */
  measureFile(rawExport: Export, signal: AbortSignal): Promise<ExportedFile>;
  now(): Date;
}

/**
 * Reads the rows of each requested export once the facts are complete up to its position, and records their number and
 * the hash of their file. Exports wait and fail as reports do (contract/reports.md#tasks).
 */
export function exporter<Export extends ExportToRun>(deps: ExporterDeps<Export>): Reactor<Export, ExportOutcome> {
  return {
    name: "exports",
    role: "exports",
    list: "control",
    adds: ({ type }) => type === "ExportRequested",
    open: deps.openExports,
    keyOf: ({ reportId }) => String(reportId),
    since: ({ now }) => now,
    runnable: (exports) => runnableAmong(exports, deps),
    act: (rawExport, { signal }) => deps.measureFile(rawExport, signal),
    record: async ({ reportId }, outcome) => {
      const endedAt = deps.now().toISOString();
      const command: ExportDayCommand =
        "reason" in outcome
          ? { type: "FailExport", data: { reportId, reason: outcome.reason, endedAt } }
          : { type: "CompleteExport", data: { reportId, ...outcome, endedAt } };
      await appendEnd(deps.log, reportId, command, endedAt);
      return true;
    },
    giveUp: (_rawExport, reason) => ({ reason }),
    retry: retryForOneMinute,
    limits: { maxConcurrent: 2, maxOpen: 100, waitMs: 60_000 },
  };
}

/** Appends the end of an export, unless it has ended already. */
async function appendEnd(
  log: EventLog,
  reportId: number,
  command: ExportDayCommand,
  occurredAt: string,
): Promise<void> {
  const place = placeOf(reportId);
  if (place === null) throw new Error(`${reportId} is not the id of an export`);
  const commandId = derivedUuid("rawExport", reportId, command.type);
  const cause = { actor: { kind: "reactor", name: "exports" }, requestId: commandId, occurredAt } as const;
  const stream = rawExportsStream(place.appId, place.date);
  const handled = await handleCommand(log, exportDay, stream, commandId, command, cause, {
    follows: ({ type, data }) => type === "ExportRequested" && data.reportId === reportId,
  });
  if (handled.outcome === "rejected" && handled.rejection.rejected !== "EXPORT_ENDED_OTHERWISE") {
    throw new Error(`${command.type} was rejected: ${handled.rejection.rejected}`);
  }
}
