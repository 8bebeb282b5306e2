import { setTimeout as pauseFor } from "node:timers/promises";
import type { LogPosition } from "../../domain/event.ts";
import type { StreamName } from "../../domain/streams.ts";
import {
  AppendTooLarge,
  type EventLog,
  type EventToAppend,
  type ExpectedRevision,
} from "../../infra/event-log/event-log.ts";
import { type JournalLimits, type Journals, journalsOver } from "./journal.ts";
import { appendOnce, type JournalStream, longestPause, newWriterId } from "./journal-stream.ts";

/** A batch with the place that it will have in the log: nothing about it changes any more. */
export interface SpooledBatch {
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
}

/** Batches on the disk of this machine, on their way to the log (contract/tracking-links.md#durability). */
export interface JournalSpool {
  /** Resolves when the batch is on disk; rejects when the spool is full or broken, and has not taken it. */
  write(batch: SpooledBatch): Promise<void>;
  /** Whether batches of a stream wait. */
  holds(stream: StreamName): boolean;
  isEmpty(): boolean;
}

export interface SpoolingOptions extends JournalLimits {
  /** A batch was spooled: there is something to drain. */
  readonly onSpooled: () => void;
  /** The log holds what is not ours in a stream of ours; the journal goes on in a fresh one. */
  readonly onAlarm: (stream: StreamName) => void;
  /**
   * How long an event waits for the log, in a queue or under way, before it is spooled, in ms (default 250,
   * contract/tracking-links.md#durability).
   */
  readonly maxWaitMs?: number;
  /** Pause after the first failed append, in milliseconds; doubled (default 50). */
  readonly firstPause?: number;
  /** Time from one batch of a journal to the next, at least, in milliseconds (default 5). */
  readonly paceFor?: number;
  /** The same for spooled batches (default 20). */
  readonly gatherFor?: number;
  /** A writer id that was never used before. */
  readonly newWriter?: () => string;
}

/**
 * Journals that never wait long for the log: what it does not take in time is acknowledged, without a position, from
 * `spool`. Calls reject with `JournalFull`, `AppendTooLarge`, or as the spool's `write` does.
 */
export function createSpoolingJournals(
  log: Pick<EventLog, "append" | "read">,
  spool: JournalSpool,
  options: SpoolingOptions,
): Journals<LogPosition | null> {
  const { onSpooled, onAlarm, maxWaitMs = 250, firstPause = 50, newWriter = newWriterId } = options;
  const { paceFor = 5, gatherFor = 20 } = options;
  const settings = { onSpooled, onAlarm, maxWaitMs, firstPause, paceFor, gatherFor, newWriter };
  return journalsOver((nameStream) => openSpoolingStream(log, spool, nameStream, settings), options);
}

type SpoolingSettings = Required<Omit<SpoolingOptions, keyof JournalLimits>>;

/**
 * The log until an event has waited `maxWaitMs`; then the spool for its batch and all later ones, each at the revision
 * that it would have had, until the drainer has brought the stream's last one to the log.
 */
function openSpoolingStream(
  log: Pick<EventLog, "append" | "read">,
  spool: JournalSpool,
  nameStream: (writer: string) => StreamName,
  { onSpooled, onAlarm, maxWaitMs, firstPause, paceFor, gatherFor, newWriter }: SpoolingSettings,
): JournalStream<LogPosition | null> {
  let stream = nameStream(newWriter());
  let revision: ExpectedRevision = "no_stream";
  let mode: "log" | "spool" = "log";
  let lastWasSpooled = false;
  let begunAt = Number.NEGATIVE_INFINITY;

  function turnToFreshStream(): void {
    stream = nameStream(newWriter());
    revision = "no_stream";
  }

  /** Attempts an append until it has worked or `attempt` is over; null then, with the stream as the last one left it. */
  async function append(
    events: readonly EventToAppend[],
    attempt: { readonly over: boolean },
  ): Promise<LogPosition | null> {
    for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
      try {
        const place = await appendOnce(log, stream, revision, events);
        if (attempt.over) return null;
        if (place !== null) {
          revision = place.revision;
          return place.position;
        }
        onAlarm(stream);
        turnToFreshStream();
      } catch (error) {
        if (attempt.over) return null;
        if (error instanceof AppendTooLarge) throw error;
      }
      await pauseFor(pause);
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

  /** @param mayArrive whether the log has been given the batch and not answered */
  async function spoolBatch(events: readonly EventToAppend[], mayArrive: boolean): Promise<void> {
    lastWasSpooled = false;
    try {
      await spool.write({ stream, expected: revision, events });
    } catch (error) {
      if (mayArrive) turnToFreshStream();
      throw error;
    }
    lastWasSpooled = true;
    revision = (revision === "no_stream" ? -1n : revision) + BigInt(events.length);
    onSpooled();
  }

  /** A full spool is no reason to try the log with every batch: it is full because the log does not answer. */
  function isDrained(): boolean {
    return !spool.holds(stream) && (lastWasSpooled || spool.isEmpty());
  }

  return {
    /**
     * An append costs a millisecond however few events it holds, and larger spooled batches are drained faster than
     * they come in: so what comes soon after a batch waits for company, never longer than this.
     */
    gathering() {
      const left = begunAt + (mode === "spool" ? gatherFor : paceFor) - performance.now();
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
