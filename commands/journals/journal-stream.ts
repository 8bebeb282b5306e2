import { setImmediate as nextTurn, setTimeout as pauseFor } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import type { LogPosition } from "../../domain/event.ts";
import type { StreamName } from "../../domain/streams.ts";
import {
  AppendTooLarge,
  type EventLog,
  EventLogUnavailable,
  type EventToAppend,
  type ExpectedRevision,
} from "../../infra/event-log/event-log.ts";

export const longestPause = 1_000;

/** Where the batches of one journal go, one after the other. `Place` is what an acknowledged event is known by. */
export interface JournalStream<Place> {
  /**
   * Makes a batch durable. Rejects with `AppendTooLarge` (nothing written), `EventLogUnavailable` (perhaps written; to
   * try what waits behind is useless now) or any other error (perhaps written); the next batch may follow all the same.
   * `since`: when the first of them began to wait, as `performance.now()` tells it.
   */
  write(events: readonly EventToAppend[], since: number): Promise<Place>;
  /** What to wait for before the next batch is made up; null: nothing. */
  gathering(): Promise<void> | null;
}

export interface LogStreamSettings {
  /** How long a batch is repeated while the log does not answer, in milliseconds. */
  readonly retryFor: number;
  /** Pause after the first failure, in milliseconds; doubled up to a second. */
  readonly firstPause: number;
  readonly newWriter: () => string;
  /** Whether a batch starts in the next turn of the event loop, with all that this one appends. */
  readonly startsNextTurn: boolean;
}

/** A writer id that was never used before. */
export function newWriterId(): string {
  return uuidv7().replaceAll("-", "");
}

/** The event log itself. A batch that fails may still arrive, so that what follows goes to a fresh stream. */
export function openLogStream(
  log: Pick<EventLog, "append" | "read">,
  nameStream: (writer: string) => StreamName,
  { retryFor, firstPause, newWriter, startsNextTurn }: LogStreamSettings,
): JournalStream<LogPosition> {
  let stream = nameStream(newWriter());
  let revision: ExpectedRevision = "no_stream";

  function turnToFreshStream(): void {
    stream = nameStream(newWriter());
    revision = "no_stream";
  }

  /** Appends at the known revision; repeats while the log does not answer; rejects when that took too long. */
  async function appendRepeatedly(events: readonly EventToAppend[]): Promise<LogPosition> {
    const giveUpAt = performance.now() + retryFor;
    for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
      try {
        const place = await appendOnce(log, stream, revision, events);
        if (place !== null) {
          revision = place.revision;
          return place.position;
        }
        turnToFreshStream();
        if (performance.now() >= giveUpAt) throw new EventLogUnavailable("Every stream was taken");
      } catch (error) {
        if (!(error instanceof EventLogUnavailable) || performance.now() >= giveUpAt) throw error;
      }
      await pauseFor(pause);
    }
  }

  return {
    gathering: () => (startsNextTurn ? nextTurn() : null),
    async write(events) {
      try {
        return await appendRepeatedly(events);
      } catch (error) {
        if (!(error instanceof AppendTooLarge)) turnToFreshStream();
        throw error;
      }
    },
  };
}

/** Where a batch stands in its stream and in the log: of its last event. */
export interface AppendedPlace {
  readonly revision: bigint;
  readonly position: LogPosition;
}

/**
 * One attempt to append a batch exactly there; answers its place, also when it has stood there before, and null when
 * the stream holds something else there, so that this batch is not and never will be in it. Rejects as `append` does.
 */
export async function appendOnce(
  log: Pick<EventLog, "append" | "read">,
  stream: StreamName,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
): Promise<AppendedPlace | null> {
  const appended = await log.append(stream, expected, events);
  return appended.outcome === "appended" ? appended : readBack(log, stream, expected, appended.actual, events);
}

/**
 * Where these very events stand after `expected` in the stream; null when they do not and cannot come to. `actual` is
 * the revision that the log named: a read that ends before it comes from a replica that lags, and says nothing.
 */
async function readBack(
  log: Pick<EventLog, "read">,
  stream: StreamName,
  expected: ExpectedRevision,
  actual: bigint | null,
  events: readonly EventToAppend[],
): Promise<AppendedPlace | null> {
  const from = expected === "no_stream" ? 0n : expected + 1n;
  if (actual === null || actual < from) return null;
  let index = 0;
  for await (const recorded of log.read(stream, from)) {
    if (recorded.id !== events[index]?.id) return null;
    index += 1;
    if (index === events.length) return { revision: recorded.revision, position: recorded.position };
  }
  throw new EventLogUnavailable("The stream could not be read up to its last event");
}
