import { setImmediate as nextTurn, setTimeout as pauseFor } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { backoffMs } from "../../domain/backoff.ts";
import type { LogPosition } from "../../domain/event.ts";
import type { StreamName } from "../../domain/streams.ts";
import {
  AppendTooLarge,
  type EventLog,
  EventLogUnavailable,
  type EventToAppend,
  type ExpectedRevision,
} from "../../infra/event-log/event-log.ts";

/** Upper bound of the backoff between attempts to append a batch. */
export const maxBackoffMs = 1_000;

/** Destination of the batches of one journal, in order. `Place` identifies an acknowledged event. */
export interface JournalStream<Place> {
  /**
   * Makes a batch durable; returns the place of its last event. Rejects with `AppendTooLarge` (nothing written),
   * `EventLogUnavailable` (perhaps written; the queued batches would fail as well) or any other error (perhaps written;
   * the next batch may follow).
   * @param since the `performance.now()` at which the oldest event was queued
   */
  write(events: readonly EventToAppend[], since: number): Promise<Place>;
  /** Resolves when the next batch may be taken from the queue; null: at once. */
  waitForBatch(): Promise<void> | null;
}

export interface LogStreamSettings {
  /** How long a batch is retried while the log is unavailable. */
  readonly retryForMs: number;
  /** Backoff after the first failure; doubled up to {@link maxBackoffMs}. */
  readonly initialBackoffMs: number;
  readonly newWriter: () => string;
  /** Whether a batch starts in the next turn of the event loop, with every event appended in this one. */
  readonly startsNextTurn: boolean;
}

/** A fresh, unique writer id. */
export function newWriterId(): string {
  return uuidv7().replaceAll("-", "");
}

/** Appends to the event log. A failed batch may still arrive, so later batches go to a new stream. */
export function openLogStream(
  log: Pick<EventLog, "append" | "read">,
  nameStream: (writer: string) => StreamName,
  { retryForMs, initialBackoffMs, newWriter, startsNextTurn }: LogStreamSettings,
): JournalStream<LogPosition> {
  let stream = nameStream(newWriter());
  let revision: ExpectedRevision = "no_stream";

  function switchToNewStream(): void {
    stream = nameStream(newWriter());
    revision = "no_stream";
  }

  /** Appends at the known revision, retrying for `retryForMs` while the log is unavailable. */
  async function appendWithRetry(events: readonly EventToAppend[]): Promise<LogPosition> {
    const giveUpAt = performance.now() + retryForMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const place = await appendOnce(log, stream, revision, events);
        if (place !== null) {
          revision = place.revision;
          return place.position;
        }
        switchToNewStream();
        if (performance.now() >= giveUpAt) throw new EventLogUnavailable("Every stream was taken");
      } catch (error) {
        if (!(error instanceof EventLogUnavailable) || performance.now() >= giveUpAt) throw error;
      }
      await pauseFor(backoffMs(attempt, initialBackoffMs, maxBackoffMs));
    }
  }

  return {
    waitForBatch: () => (startsNextTurn ? nextTurn() : null),
    async write(events) {
      try {
        return await appendWithRetry(events);
      } catch (error) {
        if (!(error instanceof AppendTooLarge)) switchToNewStream();
        throw error;
      }
    },
  };
}

/** Revision and position of the last event of a batch. */
export interface AppendedPlace {
  readonly revision: bigint;
  readonly position: LogPosition;
}

/**
 * One attempt to append a batch at `expected`. Returns its place, also if it was there already, or null if the stream
 * has other events there, so that the batch can never be appended to it. When only its first events are there, appends the
 * others after them. Rejects as `append` does.
 */
export async function appendOnce(
  log: Pick<EventLog, "append" | "read">,
  stream: StreamName,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
): Promise<AppendedPlace | null> {
  const appended = await log.append(stream, expected, events);
  if (appended.outcome === "appended") return appended;
  const { actual } = appended;
  const from = expected === "no_stream" ? 0n : expected + 1n;
  if (actual === null || actual < from) return null;
  let found = 0;
  for await (const recorded of log.read(stream, from)) {
    if (recorded.id !== events[found]?.id) return null;
    found += 1;
    if (found === events.length) return { revision: recorded.revision, position: recorded.position };
    if (recorded.revision === actual) return appendOnce(log, stream, actual, events.slice(found));
  }
  // A read that ends before `actual` came from a lagging replica.
  throw new EventLogUnavailable("The stream could not be read up to its last event");
}
