import { setTimeout as delay } from "node:timers/promises";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { comparePositions, type PositionOrStart } from "../checkpoints/positions.ts";
import { createGroupBuffer } from "./group-buffer.ts";
import { type LogCursor, openLogCursor } from "./log-cursor.ts";
import type { LogReader } from "./log-reader.ts";

/**
 * The events that one group has not applied yet. The log's tail adds every event and never waits. A group that is
 * behind by more than the capacity, or whose checkpoint was moved back, reads the log itself until it reaches the events
 * that the tail added. So a slow group neither delays the other nor fills the memory.
 */
export interface PendingEvents {
  add(batch: readonly RecordedEvent[]): void;
  /** The events after `after`, as soon as there is one; null once closed. */
  next(after: PositionOrStart): Promise<readonly RecordedEvent[] | null>;
  /** Checks again whether a caller waits for the events. */
  recheck(): void;
  /** The oldest event that `next` has not returned; while the log is being read, the last one that it has. */
  oldest(): RecordedEvent | null;
  close(): void;
}

export interface PendingEventsOptions {
  /** Maximum number of events of one batch; from the tail, uploaded rows weigh more. */
  readonly maxBatch: number;
  /** Maximum weight of the events kept for a group that is behind. */
  readonly capacity: number;
  /** Whether an event must be applied without waiting for more (default: yes). */
  readonly isUrgent?: (event: RecordedEvent) => boolean;
  /** Whether a caller waits for the group to reach a position (default: no). */
  readonly isAwaited?: () => boolean;
  /** Whether a caller waits for another group: each batch then waits for a limited time, to let that group go first. */
  readonly isYielding?: () => boolean;
}

/**
 * Minimum interval of batches without urgent events. A transaction costs Node 1 to 2 ms however few events it has; one
 * per click would take two thirds of a core at 300 clicks/s.
 */
const minBatchIntervalMs = 200;

const maxYieldMs = 250;
const yieldPollMs = 10;

export function openPendingEvents(
  log: Pick<LogReader, "subscribe">,
  {
    maxBatch,
    capacity,
    isUrgent = () => true,
    isAwaited = () => false,
    isYielding = () => false,
  }: PendingEventsOptions,
): PendingEvents {
  const buffer = createGroupBuffer(capacity, isUrgent);
  const reading = readFromAnyPosition(log, maxBatch);
  let lastReturned: RecordedEvent | undefined;
  let takenAt = -minBatchIntervalMs;
  let closed = false;
  let wake = (): void => {};

  /** Resolves at the next `add`, `recheck` or `close`, or after `maxMs` milliseconds. */
  const untilAdded = (maxMs?: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = maxMs === undefined ? undefined : setTimeout(resolve, maxMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const takeFromBuffer = async (after: PositionOrStart): Promise<readonly RecordedEvent[]> => {
    const sinceLastMs = performance.now() - takenAt;
    const isUrgentNow = buffer.hasUrgentAfter(after) || isAwaited();
    const isDue = sinceLastMs >= minBatchIntervalMs || buffer.weight() >= maxBatch || isUrgentNow;
    if (buffer.weight() === 0 || !isDue) {
      await untilAdded(buffer.weight() === 0 ? undefined : minBatchIntervalMs - sinceLastMs);
      // The new events may exceed the capacity, or be ones that the group has read: check again.
      return [];
    }
    takenAt = performance.now();
    return buffer.take(maxBatch);
  };

  const takeNext = (after: PositionOrStart): Promise<readonly RecordedEvent[]> => {
    if (!buffer.continuesAfter(after)) return reading.next(after);
    reading.stop();
    return takeFromBuffer(after);
  };

  const yieldToOthers = async (): Promise<void> => {
    const deadline = performance.now() + maxYieldMs;
    while (!closed && isYielding() && performance.now() < deadline) await delay(yieldPollMs);
  };

  return {
    add: (batch) => {
      buffer.add(batch);
      wake();
    },
    next: async (after) => {
      while (!closed) {
        try {
          if (isYielding()) await yieldToOthers();
          if (closed) return null;
          const batch = await takeNext(after);
          lastReturned = batch.at(-1) ?? lastReturned;
          if (batch.length > 0 && !closed) return batch;
        } catch (failure) {
          if (!closed) throw failure;
        }
      }
      return null;
    },
    recheck: () => wake(),
    oldest: () => (buffer.isJoined() ? buffer.oldest() : (lastReturned ?? buffer.oldest())) ?? null,
    close: () => {
      closed = true;
      reading.stop();
      wake();
    },
  };
}

/** Reads the log; keeps its cursor while each batch follows the one before, otherwise opens a new one. */
function readFromAnyPosition(log: Pick<LogReader, "subscribe">, maxBatch: number) {
  let cursor: LogCursor | null = null;

  const stop = (): void => {
    cursor?.close();
    cursor = null;
  };

  return {
    next: async (after: PositionOrStart): Promise<readonly RecordedEvent[]> => {
      if (cursor !== null && comparePositions(cursor.position(), after) !== 0) stop();
      cursor ??= openLogCursor(log, after, maxBatch);
      try {
        return await cursor.next();
      } catch (failure) {
        stop();
        throw failure;
      }
    },
    stop,
  };
}
