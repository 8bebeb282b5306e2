import { setTimeout as pauseFor } from "node:timers/promises";
import type { StreamName } from "../../domain/streams.ts";
import {
  AppendTooLarge,
  type EventLog,
  type EventToAppend,
  type ExpectedRevision,
} from "../../infra/event-log/event-log.ts";
import { appendOnce, longestPause, newWriterId } from "./journal-stream.ts";
import type { SpooledBatch } from "./spool-mode.ts";

export interface StoredBatch extends SpooledBatch {
  /** Where it stands in the spool. */
  readonly number: number;
}

/** The spool as the drainer sees it. */
export interface DrainableSpool {
  /** Streams of which batches wait. */
  streams(): readonly StreamName[];
  /** The first batches of a stream, in order, some of them; none when none waits. */
  oldest(stream: StreamName): readonly StoredBatch[];
  /** Takes off what is in the log. */
  remove(batches: readonly StoredBatch[]): Promise<void>;
  /** Gives all waiting batches of a stream to another that does not exist yet: its first batch at `no_stream`. */
  move(stream: StreamName, to: StreamName): Promise<void>;
  isEmpty(): boolean;
}

export interface SpoolDrainer {
  /** Something was spooled. */
  wake(): void;
  /** Drains what the log takes before `drainOver` aborts; the rest stays where it is. */
  stop(drainOver: AbortSignal): Promise<void>;
}

export interface DrainerOptions {
  readonly onDrained: (events: number) => void;
  /** The log holds what is not ours in a stream of ours; what was to go there goes to a fresh one. */
  readonly onAlarm: (stream: StreamName) => void;
  /** The log or the spool has failed; told once until it works again. */
  readonly onTrouble: (failure: unknown) => void;
  /** Pause after the first failure, in milliseconds; doubled up to a second (default 50). */
  readonly firstPause?: number;
  readonly newWriter?: () => string;
}

const mostStreamsAtOnce = 8;

/**
 * Brings spooled batches to the log, from its start on until it is stopped: each stream's in order, exactly those
 * batches at exactly those revisions, so that one that is there already is found there and not written again (design
 * 2.1). It may be killed anywhere.
 */
export function startSpoolDrainer(
  log: Pick<EventLog, "append" | "read">,
  spool: DrainableSpool,
  options: DrainerOptions,
): SpoolDrainer {
  const { onDrained, onAlarm, onTrouble, firstPause = 50, newWriter = newWriterId } = options;
  const stopping = new AbortController();
  let isDrainOver = false;
  let wake = (): void => {};

  /** Drains a stream's batches; false when one of them found something else in its place. */
  async function drainPage(page: readonly StoredBatch[]): Promise<boolean> {
    const drained: StoredBatch[] = [];
    try {
      for (const batch of page) {
        if (isDrainOver) break;
        if (!(await appendAt(batch.stream, batch.expected, batch.events))) return false;
        drained.push(batch);
      }
      return true;
    } finally {
      if (drained.length > 0) await spool.remove(drained);
      onDrained(drained.reduce((sum, { events }) => sum + events.length, 0));
    }
  }

  /** A batch larger than this log takes is halved; repeated, it is halved at the same places. */
  async function appendAt(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<boolean> {
    try {
      return (await appendOnce(log, stream, expected, events)) !== null;
    } catch (error) {
      if (!(error instanceof AppendTooLarge) || events.length === 1) throw error;
      const half = Math.ceil(events.length / 2);
      const middle = (expected === "no_stream" ? -1n : expected) + BigInt(half);
      return (
        (await appendAt(stream, expected, events.slice(0, half))) &&
        (await appendAt(stream, middle, events.slice(half)))
      );
    }
  }

  async function drainStream(stream: StreamName): Promise<void> {
    for (let page = spool.oldest(stream); page.length > 0 && !isDrainOver; page = spool.oldest(stream)) {
      if (await drainPage(page)) continue;
      onAlarm(stream);
      await spool.move(stream, stream.replace(/[^_]*$/, newWriter()) as StreamName);
      return;
    }
  }

  /** Every stream once, some at a time. Rejects with the first failure, after which no other stream is begun. */
  async function drainAll(): Promise<void> {
    const streams = spool.streams();
    let next = 0;
    const drainSome = async (): Promise<void> => {
      for (let stream = streams[next++]; stream !== undefined; stream = streams[next++]) {
        await drainStream(stream).catch((failure: unknown) => {
          next = streams.length;
          throw failure;
        });
      }
    };
    const outcomes = await Promise.allSettled(Array.from({ length: mostStreamsAtOnce }, drainSome));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!isDrainOver) {
      if (spool.isEmpty()) {
        if (stopping.signal.aborted) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      try {
        await drainAll();
        failures = 0;
      } catch (failure) {
        if (failures === 0) onTrouble(failure);
        if (stopping.signal.aborted) return;
        await pauseFor(Math.min(firstPause * 2 ** failures, longestPause), null, stopping).catch(() => {});
        failures += 1;
      }
    }
  }

  const running = run();
  return {
    wake: () => wake(),
    async stop(drainOver) {
      const end = (): void => {
        isDrainOver = true;
      };
      if (drainOver.aborted) end();
      drainOver.addEventListener("abort", end, { once: true });
      stopping.abort();
      wake();
      await running;
    },
  };
}
