import { setTimeout as delay } from "node:timers/promises";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { comparePlaces, type Place } from "../checkpoints/positions.ts";
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
  next(after: Place): Promise<readonly RecordedEvent[] | null>;
  /** Checks again whether a caller waits for the events. */
  recheck(): void;
  /** The oldest event that `next` has not returned; while the log is being read, the last one that it has. */
  oldest(): RecordedEvent | null;
  close(): void;
}

export interface PendingEventsOptions {
  /** Maximum number of events of one batch. */
  readonly maxBatch: number;
  /** Maximum number of events kept for a group that is behind. */
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
  /** The newest events of the log, without gaps. */
  let added: RecordedEvent[] = [];
  /** Place of the last event before `added`; undefined while events may be missing in between. */
  let joinedAt: Place | undefined;
  /** Place of the last urgent event in `added`. */
  let urgentAt: Place = null;
  let cursor: LogCursor | null = null;
  let lastReturned: RecordedEvent | undefined;
  let takenAt = -minBatchIntervalMs;
  let closed = false;
  let wake = (): void => {};

  const stopReading = (): void => {
    cursor?.close();
    cursor = null;
  };

  /** Switches from reading the log to `added` if that begins at or before the next event. */
  const tryToJoin = (after: Place): boolean => {
    const [oldest] = added;
    if (oldest !== undefined && comparePlaces(oldest.position, after) <= 0) {
      const first = added.findIndex((event) => comparePlaces(event.position, after) > 0);
      added = first < 0 ? [] : added.slice(first);
      joinedAt = after;
      stopReading();
    }
    return joinedAt !== undefined && comparePlaces(joinedAt, after) === 0;
  };

  const readOn = async (after: Place): Promise<readonly RecordedEvent[]> => {
    if (cursor !== null && comparePlaces(cursor.place(), after) !== 0) stopReading();
    cursor ??= openLogCursor(log, after, maxBatch);
    try {
      return await cursor.next();
    } catch (failure) {
      stopReading();
      throw failure;
    }
  };

  /** Resolves at the next `add`, `recheck` or `close`, or after `maxMs` milliseconds. */
  const untilAdded = (maxMs?: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = maxMs === undefined ? undefined : setTimeout(resolve, maxMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const takeAdded = async (after: Place): Promise<readonly RecordedEvent[]> => {
    const sinceLastMs = performance.now() - takenAt;
    const isUrgentNow = comparePlaces(urgentAt, after) > 0 || isAwaited();
    const isDue = sinceLastMs >= minBatchIntervalMs || added.length >= maxBatch || isUrgentNow;
    if (added.length === 0 || !isDue) {
      await untilAdded(added.length === 0 ? undefined : minBatchIntervalMs - sinceLastMs);
      // The new events may exceed the capacity, or be ones that the group has read: check again.
      return [];
    }
    const batch = added.splice(0, maxBatch);
    takenAt = performance.now();
    joinedAt = batch.at(-1)?.position ?? after;
    return batch;
  };

  const yieldToOthers = async (): Promise<void> => {
    const deadline = performance.now() + maxYieldMs;
    while (!closed && isYielding() && performance.now() < deadline) await delay(yieldPollMs);
  };

  return {
    add: (batch) => {
      if (added.length + batch.length > capacity) {
        added = [];
        joinedAt = undefined;
      }
      for (const event of batch) {
        added.push(event);
        if (isUrgent(event)) urgentAt = event.position;
      }
      wake();
    },
    next: async (after) => {
      while (!closed) {
        try {
          if (isYielding()) await yieldToOthers();
          if (closed) return null;
          const batch = tryToJoin(after) ? await takeAdded(after) : await readOn(after);
          lastReturned = batch.at(-1) ?? lastReturned;
          if (batch.length > 0 && !closed) return batch;
        } catch (failure) {
          if (!closed) throw failure;
        }
      }
      return null;
    },
    recheck: () => wake(),
    oldest: () => (joinedAt !== undefined ? added[0] : (lastReturned ?? added[0])) ?? null,
    close: () => {
      closed = true;
      stopReading();
      wake();
    },
  };
}
