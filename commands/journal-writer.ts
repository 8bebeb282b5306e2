import { setTimeout as pauseFor } from "node:timers/promises";
import type { LogPosition } from "../domain/recorded-event.ts";
import {
  AppendTooLarge,
  type EventLog,
  EventLogUnavailable,
  type EventToAppend,
  type ExpectedRevision,
} from "../infra/event-log/event-log.ts";

const longestPause = 1_000;

export interface JournalWriter {
  /** Queues events; resolves with the position of the last when all are in the log. */
  append(events: readonly EventToAppend[], sizes: readonly number[]): Promise<LogPosition>;
  /** Events queued or in flight. */
  waiting(): number;
  /** Resolves when nothing is queued or in flight. */
  idle(): Promise<void>;
}

export interface WriterSettings {
  readonly mostBatchEvents: number;
  readonly mostBatchBytes: number;
  readonly retryFor: number;
  readonly firstPause: number;
  readonly newWriter: () => string;
}

interface Call {
  unwritten: number;
  refused: boolean;
  resolve(position: LogPosition): void;
  reject(error: unknown): void;
}

interface Waiting {
  readonly event: EventToAppend;
  readonly size: number;
  readonly call: Call;
}

/**
 * Writes one journal: one batch in flight, made of what waits when the last one returns. `released` is told of events
 * (and bytes) that wait no longer, written or refused.
 */
export function openJournalWriter(
  log: EventLog,
  nameStream: (writer: string) => string,
  settings: WriterSettings,
  released: (events: number, bytes: number) => void,
): JournalWriter {
  let stream = nameStream(settings.newWriter());
  let revision: ExpectedRevision = "no_stream";
  let queue: Waiting[] = [];
  let inFlight = 0;
  let mostEvents = settings.mostBatchEvents;
  let working: Promise<void> | null = null;

  /** A new stream, when what the old one holds, or will come to hold, is no longer certain. */
  function turnToFreshStream(): void {
    stream = nameStream(settings.newWriter());
    revision = "no_stream";
  }

  function takeBatch(): readonly Waiting[] {
    let count = 0;
    let bytes = 0;
    for (const { size } of queue) {
      if (count === mostEvents || (count > 0 && bytes + size > settings.mostBatchBytes)) break;
      count += 1;
      bytes += size;
    }
    return queue.splice(0, count);
  }

  /** Appends at the known revision; repeats while the log does not answer; rejects when that took too long. */
  async function write(events: readonly EventToAppend[]): Promise<LogPosition> {
    const giveUpAt = performance.now() + settings.retryFor;
    for (let pause = settings.firstPause; ; pause = Math.min(pause * 2, longestPause)) {
      try {
        const appended = await log.append(stream, revision, events);
        if (appended.outcome === "appended") {
          revision = appended.revision;
          return appended.position;
        }
        const found = await readBack(log, stream, revision, appended.actual, events);
        if (found !== null) {
          revision = found.revision;
          return found.position;
        }
        turnToFreshStream();
        if (performance.now() >= giveUpAt) throw new EventLogUnavailable("Every stream was taken");
      } catch (error) {
        if (!(error instanceof EventLogUnavailable) || performance.now() >= giveUpAt) throw error;
      }
      await pauseFor(pause);
    }
  }

  function refuse(refused: readonly Waiting[], error: unknown): void {
    for (const { call } of refused) {
      call.refused = true;
      call.reject(error);
    }
    released(refused.length, sizeOf(refused));
  }

  /** What a failed batch means for those in it and behind it. */
  function failed(batch: readonly Waiting[], error: unknown): void {
    if (error instanceof AppendTooLarge && batch.length > 1) {
      queue.unshift(...batch);
      mostEvents = Math.ceil(batch.length / 2);
      return;
    }
    if (!(error instanceof AppendTooLarge)) turnToFreshStream();
    refuse(batch, error);
    const behind = queue;
    const alsoRefused = (waiting: Waiting) => error instanceof EventLogUnavailable || waiting.call.refused;
    queue = behind.filter((waiting) => !alsoRefused(waiting));
    refuse(behind.filter(alsoRefused), error);
  }

  function written(batch: readonly Waiting[], position: LogPosition): void {
    mostEvents = settings.mostBatchEvents;
    released(batch.length, sizeOf(batch));
    for (const { call } of batch) {
      call.unwritten -= 1;
      if (call.unwritten === 0) call.resolve(position);
    }
  }

  async function work(): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch();
      inFlight = batch.length;
      try {
        written(batch, await write(batch.map(({ event }) => event)));
      } catch (error) {
        failed(batch, error);
      }
      inFlight = 0;
    }
    working = null;
  }

  return {
    append(events, sizes) {
      return new Promise((resolve, reject) => {
        const call: Call = { unwritten: events.length, refused: false, resolve, reject };
        for (const [index, event] of events.entries()) queue.push({ event, size: sizes[index] ?? 0, call });
        working ??= work();
      });
    },
    waiting: () => queue.length + inFlight,
    idle: async () => working ?? undefined,
  };
}

/**
 * Where these very events stand after `expected` in the stream; null when they do not and cannot come to. `actual` is
 * the revision that the log named: a read that ends before it comes from a replica that lags, and says nothing.
 */
async function readBack(
  log: EventLog,
  stream: string,
  expected: ExpectedRevision,
  actual: bigint | null,
  events: readonly EventToAppend[],
): Promise<{ readonly revision: bigint; readonly position: LogPosition } | null> {
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

function sizeOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { size }) => sum + size, 0);
}
