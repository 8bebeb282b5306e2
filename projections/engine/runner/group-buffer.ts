import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { comparePlaces, type Place } from "../checkpoints/positions.ts";
import { type LogCursor, openLogCursor } from "./log-cursor.ts";
import type { LogReader } from "./log-reader.ts";

/**
 * The events that one group has not applied yet. The tail adds every event and never waits. A group that is behind by
 * more than the capacity, or whose checkpoint was moved back, reads the log itself until it reaches the events that the
 * tail added. So a slow group neither delays the other nor fills the memory.
 */
export interface GroupBuffer {
  offer(batch: readonly RecordedEvent[]): void;
  /** The events that follow `after`, at least one, as soon as there are any; null once closed. */
  next(after: Place): Promise<readonly RecordedEvent[] | null>;
  /** Checks again whether the waiting events are urgent. */
  recheck(): void;
  /** When the oldest waiting event was recorded; while the log is being read, the last event returned by `next`. */
  waitingSince(): Date | null;
  close(): void;
}

export interface GroupBufferOptions {
  /** Maximum number of events of one batch. */
  readonly maxBatch: number;
  /** Maximum number of events kept for a group that is behind. */
  readonly capacity: number;
  /** Whether an event, and those before it, must be applied without waiting for more (default: yes). */
  readonly isUrgent?: (event: RecordedEvent) => boolean;
  /** Whether a caller waits for the group to reach a position (default: no). */
  readonly isAwaited?: () => boolean;
}

/**
 * Minimum interval of batches without urgent events. A transaction costs Node 1 to 2 ms however few events it has; one
 * per click would take two thirds of a core at 300 clicks/s.
 */
const minBatchIntervalMs = 200;

/** An empty buffer: its group reads the log until it reaches the events of the tail. */
export function openGroupBuffer(
  log: Pick<LogReader, "subscribe">,
  { maxBatch, capacity, isUrgent = () => true, isAwaited = () => false }: GroupBufferOptions,
): GroupBuffer {
  /** The newest events from the tail, without gaps. */
  let offered: RecordedEvent[] = [];
  /** Place of the last event before those offered; undefined while events may be missing in between. */
  let joinedAt: Place | undefined;
  /** Place of the last urgent event that was offered. */
  let urgentAt: Place = null;
  let cursor: LogCursor | null = null;
  let lastHandedOut: RecordedEvent | undefined;
  let takenAt = -minBatchIntervalMs;
  let closed = false;
  let wake = (): void => {};

  const readAlone = (): void => {
    joinedAt = undefined;
  };

  const stopReading = (): void => {
    cursor?.close();
    cursor = null;
  };

  /** Switches from reading the log to the tail's events if these begin at or before the next event. */
  const tryToJoin = (after: Place): boolean => {
    const [oldest] = offered;
    if (oldest !== undefined && comparePlaces(oldest.position, after) <= 0) {
      const first = offered.findIndex((event) => comparePlaces(event.position, after) > 0);
      offered = first < 0 ? [] : offered.slice(first);
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

  /** Resolves at the next `offer`, `recheck` or `close`, or after `longest` milliseconds. */
  const untilOffered = (longest?: number): Promise<void> =>
    new Promise((resolve) => {
      const pause = longest === undefined ? undefined : setTimeout(resolve, longest);
      wake = () => {
        clearTimeout(pause);
        resolve();
      };
    });

  const takeOffered = async (after: Place): Promise<readonly RecordedEvent[]> => {
    const gatheredFor = performance.now() - takenAt;
    const isHurried = comparePlaces(urgentAt, after) > 0 || isAwaited();
    const isDue = gatheredFor >= minBatchIntervalMs || offered.length >= maxBatch || isHurried;
    if (offered.length === 0 || !isDue) {
      await untilOffered(offered.length === 0 ? undefined : minBatchIntervalMs - gatheredFor);
      // The new events may exceed the capacity, or be ones that the group has read: check again.
      return [];
    }
    const batch = offered.splice(0, maxBatch);
    takenAt = performance.now();
    joinedAt = batch.at(-1)?.position ?? after;
    return batch;
  };

  return {
    offer: (batch) => {
      if (offered.length + batch.length > capacity) {
        offered = [];
        readAlone();
      }
      for (const event of batch) {
        offered.push(event);
        if (isUrgent(event)) urgentAt = event.position;
      }
      wake();
    },
    next: async (after) => {
      while (!closed) {
        try {
          const batch = tryToJoin(after) ? await takeOffered(after) : await readOn(after);
          lastHandedOut = batch.at(-1) ?? lastHandedOut;
          if (batch.length > 0 && !closed) return batch;
        } catch (failure) {
          if (!closed) throw failure;
        }
      }
      return null;
    },
    recheck: () => wake(),
    waitingSince: () => (joinedAt !== undefined ? offered[0] : (lastHandedOut ?? offered[0]))?.recordedAt ?? null,
    close: () => {
      closed = true;
      stopReading();
      wake();
    },
  };
}
