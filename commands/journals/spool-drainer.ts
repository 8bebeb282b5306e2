import { setTimeout as pauseFor } from "node:timers/promises";
import { backoffMs } from "../../domain/backoff.ts";
import type { StreamName } from "../../domain/streams.ts";
import {
  AppendTooLarge,
  type EventLog,
  type EventToAppend,
  type ExpectedRevision,
  maxAppendEvents,
  revisionAfter,
} from "../../infra/event-log/event-log.ts";
import { forEachConcurrently } from "../../infra/process/concurrency-limit.ts";
import { encodedSizes, maxBatchBytes } from "./journal.ts";
import { appendOnce, maxBackoffMs, newWriterId } from "./journal-stream.ts";
import type { SpooledBatch } from "./spooling-journals.ts";

export interface StoredBatch extends SpooledBatch {
  /** Sequence number in the spool. */
  readonly number: number;
}

/** The spool as the drainer sees it. */
export interface DrainableSpool {
  /** Streams with spooled batches. */
  streams(): readonly StreamName[];
  /** The first page of batches of a stream, in order. */
  oldest(stream: StreamName): readonly StoredBatch[];
  /** Removes batches that are in the log. */
  remove(batches: readonly StoredBatch[]): Promise<void>;
  /** Moves all batches of a stream to one that does not exist yet: its first batch at `no_stream`. */
  move(stream: StreamName, to: StreamName): Promise<void>;
  isEmpty(): boolean;
}

export interface SpoolDrainer {
  /** Call after spooling a batch. */
  wake(): void;
  /** Drains until the spool is empty, an append fails, or `drainOver` aborts; the rest stays in the spool. */
  stop(drainOver: AbortSignal): Promise<void>;
}

export interface DrainerOptions {
  readonly onDrained: (events: number) => void;
  /** Called when another writer has appended to the stream; its batches go to a new one. */
  readonly onAlarm: (stream: StreamName) => void;
  /** Called on the first of consecutive failures of the log or the spool. */
  readonly onTrouble: (failure: unknown) => void;
  /** Resolves when no append of a journal to the stream is in flight. */
  readonly answered: (stream: StreamName) => Promise<void>;
  /** Backoff after the first failure; doubled up to a second (default 50). */
  readonly initialBackoffMs?: number;
}

const maxConcurrentStreams = 8;

/**
 * Appends spooled batches to the log until it is stopped: each stream in order, the same batches at the same revisions,
 * so that a batch that is already in the log is found there and not written again. Safe to kill at any point.
 */
export function startSpoolDrainer(
  log: Pick<EventLog, "append" | "read">,
  spool: DrainableSpool,
  options: DrainerOptions,
): SpoolDrainer {
  const { onDrained, onAlarm, onTrouble, initialBackoffMs = 50 } = options;
  const stopping = new AbortController();
  let over: AbortSignal | undefined;
  const isDrainOver = (): boolean => over?.aborted === true;
  let wake = (): void => {};

  async function removeDrained(batches: readonly StoredBatch[]): Promise<void> {
    if (batches.length > 0) await spool.remove(batches);
    onDrained(batches.reduce((sum, { events }) => sum + events.length, 0));
  }

  /**
   * Drains a page of batches. Batches that follow each other share an append, and appends run concurrently, so that a
   * backlog drains faster than it grows even if the log is slow. Returns false when the stream has other events at the
   * place of a batch.
   */
  async function drainPage(page: readonly StoredBatch[]): Promise<boolean> {
    const merged = mergedBatches(page);
    const places = await Promise.allSettled(
      merged.map(({ stream, expected, events }) => appendOnce(log, stream, expected, events)),
    );
    const failed = places.findIndex((place) => place.status === "rejected" || place.value === null);
    await removeDrained(merged.slice(0, failed < 0 ? merged.length : failed).flatMap(({ batches }) => batches));
    return failed < 0 || drainInTurn(merged.slice(failed));
  }

  /**
   * As {@link drainPage}, one append after the other, for a page with one that failed: those behind it failed because of
   * it. Of merged batches that the stream has no place for, some may be in the log: they are drained one by one.
   */
  async function drainInTurn(merged: readonly MergedBatches[]): Promise<boolean> {
    for (const { stream, expected, events, batches } of merged) {
      if (isDrainOver()) return true;
      if (await appendInHalves(log, stream, expected, events)) await removeDrained(batches);
      else if (batches.length === 1) return false;
      else if (!(await drainInTurn(batches.map((batch) => ({ ...batch, batches: [batch] }))))) return false;
    }
    return true;
  }

  /** Drains one page: a stream that fills up as fast as it is drained must not keep the others waiting. */
  async function drainStream(stream: StreamName): Promise<void> {
    await options.answered(stream);
    const page = spool.oldest(stream);
    if (page.length === 0 || isDrainOver() || (await drainPage(page))) return;
    onAlarm(stream);
    await spool.move(stream, stream.replace(/[^_]*$/, newWriterId()) as StreamName);
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!isDrainOver()) {
      if (spool.isEmpty()) {
        if (stopping.signal.aborted) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      try {
        await forEachConcurrently(maxConcurrentStreams, spool.streams(), drainStream);
        failures = 0;
      } catch (failure) {
        if (failures === 0) onTrouble(failure);
        if (stopping.signal.aborted) return;
        failures += 1;
        await pauseFor(backoffMs(failures, initialBackoffMs, maxBackoffMs), null, stopping).catch(() => {});
      }
    }
  }

  const running = run();
  return {
    wake: () => wake(),
    async stop(drainOver) {
      over = drainOver;
      stopping.abort();
      wake();
      await running;
    },
  };
}

/**
 * Appends events, in halves if they are too large for the log; a retry splits them at the same places. Returns false when
 * the stream has other events there.
 */
async function appendInHalves(
  log: Pick<EventLog, "append" | "read">,
  stream: StreamName,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
): Promise<boolean> {
  try {
    return (await appendOnce(log, stream, expected, events)) !== null;
  } catch (error) {
    if (!(error instanceof AppendTooLarge) || events.length === 1) throw error;
    const half = Math.ceil(events.length / 2);
    return (
      (await appendInHalves(log, stream, expected, events.slice(0, half))) &&
      (await appendInHalves(log, stream, revisionAfter(expected, half), events.slice(half)))
    );
  }
}

/** Batches of one stream at consecutive revisions. */
interface MergedBatches extends SpooledBatch {
  readonly batches: readonly StoredBatch[];
}

function mergedBatches(page: readonly StoredBatch[]): readonly MergedBatches[] {
  const merged: MergedBatches[] = [];
  let bytes = 0;
  for (const batch of page) {
    const batchBytes = encodedSizes(batch.events).reduce((sum, size) => sum + size, 0);
    bytes += batchBytes;
    const last = merged.at(-1);
    const next = last && revisionAfter(last.expected, last.events.length);
    const follows = next === batch.expected && last !== undefined && bytes <= maxBatchBytes;
    if (follows && last.events.length + batch.events.length <= maxAppendEvents) {
      const events = [...last.events, ...batch.events];
      merged[merged.length - 1] = { ...last, events, batches: [...last.batches, batch] };
    } else {
      merged.push({ ...batch, batches: [batch] });
      bytes = batchBytes;
    }
  }
  return merged;
}
