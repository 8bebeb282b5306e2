import { setTimeout as pauseFor } from "node:timers/promises";
import { backoffMs } from "../../domain/backoff.ts";
import type { LogPosition } from "../../domain/event.ts";
import type { StreamName } from "../../domain/streams.ts";
import {
  AppendTooLarge,
  type EventLog,
  type EventToAppend,
  type ExpectedRevision,
  revisionAfter,
} from "../../infra/event-log/event-log.ts";
import { type JournalLimits, type Journals, journalsOver } from "./journal.ts";
import { appendOnce, type JournalStream, maxBackoffMs, newWriterId } from "./journal-stream.ts";

/** A batch with its final stream and revision in the log. */
export interface SpooledBatch {
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
}

/** Batches on the disk of this machine, on their way to the log (contract/tracking-links.md#durability). */
export interface JournalSpool {
  /** Resolves when the batch is on disk; rejects, without storing it, when the spool is full or broken. */
  write(batch: SpooledBatch): Promise<void>;
  /** Whether batches of a stream are spooled. */
  holds(stream: StreamName): boolean;
  isEmpty(): boolean;
  /** Whether the log has taken batches within the last second. */
  isDraining(): boolean;
}

/** How long a batch waits for the spool to be drained, and the interval of checking. */
const maxDrainWaitMs = 150;
const drainPollMs = 10;
/** Minimum time between two appends of a journal to the log. */
const minAppendIntervalMs = 5;

export interface SpoolingOptions extends JournalLimits {
  /** Called after each spooled batch. */
  readonly onSpooled: () => void;
  /** Called when another writer has appended to the stream; the journal continues in a new one. */
  readonly onAlarm: (stream: StreamName) => void;
  /**
   * How long an event waits for the log, queued or in flight, before it is spooled (default 250,
   * contract/tracking-links.md#durability).
   */
  readonly maxWaitMs?: number;
  /** Backoff after the first failed append; doubled up to a second (default 50). */
  readonly initialBackoffMs?: number;
  /** Minimum time between two batches of a journal that are spooled (default 20). */
  readonly minSpoolIntervalMs?: number;
  /** A fresh, unique writer id. */
  readonly newWriter?: () => string;
}

/**
 * Journals that wait for the log for a bounded time: events that it does not store in time are spooled and acknowledged
 * without a position. Calls reject with `JournalFull`, `AppendTooLarge`, or as the spool's `write` does.
 */
export function createSpoolingJournals(
  log: Pick<EventLog, "append" | "read">,
  spool: JournalSpool,
  options: SpoolingOptions,
): Journals<LogPosition | null> {
  const settings = { ...defaults, ...options };
  return journalsOver((nameStream) => openSpoolingStream(log, spool, nameStream, settings), options);
}

const defaults = {
  ...{ maxWaitMs: 250, initialBackoffMs: 50, minSpoolIntervalMs: 20 },
  newWriter: newWriterId,
};

type SpoolingSettings = Required<Omit<SpoolingOptions, keyof JournalLimits>>;

/**
 * Appends to the log until an event has waited `maxWaitMs`; then spools its batch and all later ones, each at the
 * revision it would have had, until the drainer has appended the stream's last one to the log.
 */
function openSpoolingStream(
  log: Pick<EventLog, "append" | "read">,
  spool: JournalSpool,
  nameStream: (writer: string) => StreamName,
  settings: SpoolingSettings,
): JournalStream<LogPosition | null> {
  const { onSpooled, onAlarm, maxWaitMs, initialBackoffMs, newWriter } = settings;
  let stream = nameStream(newWriter());
  let revision: ExpectedRevision = "no_stream";
  let mode: "log" | "spool" = "log";
  let lastWasSpooled = false;
  let begunAt = Number.NEGATIVE_INFINITY;

  function switchToNewStream(): void {
    stream = nameStream(newWriter());
    revision = "no_stream";
  }

  /** Retries an append until it succeeds; returns null if `attempt` is over before. */
  async function append(
    events: readonly EventToAppend[],
    attempt: { readonly over: boolean },
  ): Promise<LogPosition | null> {
    for (let count = 1; ; count += 1) {
      try {
        const place = await appendOnce(log, stream, revision, events);
        if (attempt.over) return null;
        if (place !== null) {
          revision = place.revision;
          return place.position;
        }
        onAlarm(stream);
        switchToNewStream();
      } catch (error) {
        if (attempt.over) return null;
        if (error instanceof AppendTooLarge) throw error;
      }
      await pauseFor(backoffMs(count, initialBackoffMs, maxBackoffMs));
      if (attempt.over) return null;
    }
  }

  async function appendWithin(ms: number, events: readonly EventToAppend[]): Promise<LogPosition | null> {
    const attempt = { over: false };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => {
        attempt.over = true;
        resolve(null);
      }, ms);
    });
    return Promise.race([append(events, attempt), late]).finally(() => clearTimeout(timer));
  }

  /** @param mayArrive whether an append of the batch has not been answered, so that the log may still store it */
  async function spoolBatch(events: readonly EventToAppend[], mayArrive: boolean): Promise<void> {
    lastWasSpooled = false;
    try {
      await spool.write({ stream, expected: revision, events });
    } catch (error) {
      if (mayArrive) switchToNewStream();
      throw error;
    }
    lastWasSpooled = true;
    revision = revisionAfter(revision, events.length);
    onSpooled();
  }

  /** A full spool does not count as drained: it is full because the log is unavailable. */
  function isDrained(): boolean {
    return !spool.holds(stream) && (lastWasSpooled || spool.isEmpty());
  }

  /** Waits, so that the spool of a slow log becomes empty even with a batch every few milliseconds. */
  async function untilDrained(): Promise<void> {
    const until = performance.now() + maxDrainWaitMs;
    while (!isDrained() && performance.now() < until) await pauseFor(drainPollMs);
  }

  return {
    /**
     * An append costs a millisecond however few events it has, and large spooled batches drain faster than they arrive,
     * so batches have a minimum interval. While the spool is draining, the next batch waits for that and goes to the
     * log.
     */
    waitForBatch() {
      if (mode === "spool" && spool.isDraining() && !isDrained()) return untilDrained();
      const intervalMs = mode === "spool" ? settings.minSpoolIntervalMs : minAppendIntervalMs;
      const left = begunAt + intervalMs - performance.now();
      return left > 0 ? pauseFor(left) : null;
    },
    async write(events, since) {
      begunAt = performance.now();
      if (mode === "spool" && isDrained()) mode = "log";
      const waitLeft = since + maxWaitMs - begunAt;
      const isForLog = mode === "log" && waitLeft > 0;
      if (isForLog) {
        const position = await appendWithin(waitLeft, events);
        if (position !== null) return position;
      }
      mode = "spool";
      await spoolBatch(events, isForLog);
      return null;
    },
  };
}
