import { setTimeout as delay } from "node:timers/promises";
import type { ExportCompleted, ExportFailureReason } from "../../domain/raw-exports/events.ts";
import { type ExportDayCommand, exportDay } from "../../domain/raw-exports/export-day.ts";
import { placeOf } from "../../domain/raw-exports/report-id.ts";
import { rawExportsStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { derivedUuid } from "../derived-ids.ts";
import { handleCommand } from "../handle-command.ts";
import { createFairTurns } from "../reactors/fair-scheduler.ts";
import { type AnswerableDeps, answerableAmong } from "../reactors/runnable-tasks.ts";
import { createBell } from "../reactors/wake-signal.ts";

/** An export of the to-do list. */
export interface ExportToRun {
  readonly reportId: number;
  readonly appId: number;
  /** The log position that its rows are read at. */
  readonly position: bigint;
}

type ExportedFile = Omit<ExportCompleted["data"], "reportId" | "endedAt">;

export interface ExporterDeps<Export extends ExportToRun> extends AnswerableDeps {
  readonly log: EventLog;
  /** Exports that have not ended, the oldest of each app first. */
  openExports(max: number): Promise<readonly Export[]>;
  /** Reads all rows of an export; rejects once `signal` has aborted. */
  describe(one: Export, signal: AbortSignal): Promise<ExportedFile>;
  /** Calls `listener` whenever there may be more to do; what it answers takes it off again. */
  onProgress(listener: () => void): () => void;
  /** Called with every failure; the exporter goes on. `reportId` is null when it was not about one export. */
  failed(failure: unknown, reportId: number | null): void;
  now(): Date;
}

/** Exports that are read at the same time. */
const maxExportsAtOnce = 2;
const maxInSight = 100;
/**
 * How long an export waits for the facts and for decisions, as reports do (contract/reports.md#tasks), and how long a
 * failing one is tried.
 */
const givenUpAfterMs = 60_000;
/** The list is read so often without a wake signal, as when another process projects. */
const pollMs = 500;
const afterFailureMs = 1_000;
const stopWithinMs = 2_000;

/**
 * The exporter: a reactor over the to-do list of exports. Reads the rows of each once the facts can answer at its
 * position, apps in turn, and records how many there are and the hash of their file. Killed anywhere, the next one
 * takes the same exports up and records the same. Resolves once `signal` has aborted.
 */
export async function runExports<Export extends ExportToRun>(
  deps: ExporterDeps<Export>,
  signal: AbortSignal,
): Promise<void> {
  const turns = createFairTurns();
  const wake = createBell(signal);
  const stopListening = deps.onProgress(wake.ring);
  const running = new Map<number, { readonly appId: number; readonly over: Promise<void> }>();
  const firstSeen = new Map<number, number>();
  const failing = new Map<number, { readonly since: number; readonly until: number }>();
  /** Ended here; the to-do list may still show them for a moment. */
  const ended = new Set<number>();
  const now = (): number => deps.now().getTime();
  const isExhausted = (since: number | undefined): boolean => since !== undefined && now() - since >= givenUpAfterMs;

  const end = async ({ reportId }: Export, command: ExportDayCommand): Promise<void> => {
    await record(deps.log, reportId, command, deps.now());
    ended.add(reportId);
  };
  const fail = (one: Export, reason: ExportFailureReason): Promise<void> => {
    const endedAt = deps.now().toISOString();
    return end(one, { type: "FailExport", data: { reportId: one.reportId, reason, endedAt } });
  };
  const run = async (one: Export): Promise<void> => {
    const { reportId } = one;
    if (isExhausted(failing.get(reportId)?.since)) return fail(one, "internal_error");
    const file = await deps.describe(one, signal);
    const endedAt = deps.now().toISOString();
    await end(one, { type: "CompleteExport", data: { reportId, ...file, endedAt } });
  };
  const start = (one: Export, work: () => Promise<void>): void => {
    const { reportId, appId } = one;
    const over = work()
      .catch((failure: unknown) => {
        if (signal.aborted) return;
        deps.failed(failure, reportId);
        failing.set(reportId, { since: failing.get(reportId)?.since ?? now(), until: now() + afterFailureMs });
      })
      .finally(() => {
        running.delete(reportId);
        wake.ring();
      });
    running.set(reportId, { appId, over });
  };

  const startWaiting = async (): Promise<void> => {
    const open = await deps.openExports(maxInSight);
    retainOpen(open, [firstSeen, failing, ended]);
    for (const { reportId } of open) firstSeen.set(reportId, firstSeen.get(reportId) ?? now());
    if (running.size >= maxExportsAtOnce) return;
    const idle = open.filter(
      ({ reportId }) => !running.has(reportId) && !ended.has(reportId) && (failing.get(reportId)?.until ?? 0) <= now(),
    );
    const tasks = idle.map((one) => ({ ...one, taskId: String(one.reportId) }));
    const answerable = await answerableAmong(tasks.sort(byPosition), deps);
    const waiting = idle.flatMap((one) => {
      if (answerable.has(String(one.reportId))) return [{ appId: one.appId, one, work: () => run(one) }];
      const isBehind = isExhausted(firstSeen.get(one.reportId));
      return isBehind ? [{ appId: one.appId, one, work: () => fail(one, "facts_behind") }] : [];
    });
    while (running.size < maxExportsAtOnce) {
      const next = turns.next(
        waiting,
        [...running.values()].map(({ appId }) => appId),
      );
      if (next === null) return;
      waiting.splice(waiting.indexOf(next), 1);
      start(next.one, next.work);
    }
  };

  while (!signal.aborted) {
    try {
      await startWaiting();
      await wake.rung(pollMs);
    } catch (failure) {
      deps.failed(failure, null);
      await wake.silence(afterFailureMs);
    }
  }
  stopListening();
  const stopped = new AbortController();
  const limit = delay(stopWithinMs, undefined, { signal: stopped.signal });
  await Promise.race([Promise.all([...running.values()].map(({ over }) => over)), limit]);
  // Its timer would keep the process alive.
  stopped.abort();
}

/** Appends how an export ended; one that has ended keeps its end. */
async function record(log: EventLog, reportId: number, command: ExportDayCommand, now: Date): Promise<void> {
  const place = placeOf(reportId);
  if (place === null) throw new Error(`${reportId} is not the id of an export`);
  const commandId = derivedUuid("rawExport", reportId, command.type);
  const cause = {
    actor: { kind: "reactor", name: "exporter" },
    requestId: commandId,
    occurredAt: now.toISOString(),
  } as const;
  const stream = rawExportsStream(place.appId, place.date);
  const handled = await handleCommand(log, exportDay, stream, commandId, command, cause);
  if (handled.outcome === "rejected" && handled.rejection.rejected !== "EXPORT_ENDED_OTHERWISE") {
    throw new Error(`${command.type} was refused: ${handled.rejection.rejected}`);
  }
}

function byPosition(one: ExportToRun, other: ExportToRun): number {
  return one.position < other.position ? -1 : 1;
}

function retainOpen(
  open: readonly ExportToRun[],
  remembered: readonly { keys(): Iterable<number>; delete(reportId: number): boolean }[],
): void {
  const isOpen = new Set(open.map(({ reportId }) => reportId));
  for (const memory of remembered)
    for (const reportId of [...memory.keys()]) if (!isOpen.has(reportId)) memory.delete(reportId);
}
