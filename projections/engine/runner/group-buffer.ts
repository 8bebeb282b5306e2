import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { comparePlaces, type Place } from "../checkpoints/positions.ts";
import { type LogCursor, openLogCursor } from "./log-cursor.ts";
import type { LogReader } from "./log-reader.ts";

/**
 * What one group has still to apply. The tail offers every event as it comes and never waits; a group that is behind
 * by more than the feed holds, or that has gone back, reads the log itself until it meets what the tail offers. So a
 * slow group neither holds up the other nor fills the memory.
 */
export interface Feed {
  offer(batch: readonly RecordedEvent[]): void;
  /** The events that follow `after`, at least one, as soon as there are any; null once closed. */
  next(after: Place): Promise<readonly RecordedEvent[] | null>;
  /** What waits may have become urgent. */
  hurry(): void;
  /** When the oldest event that waits was recorded, or the last one handed out while the log is still being read. */
  waitingSince(): Date | null;
  close(): void;
}

export interface FeedOptions {
  /** Most events handed out at a time. */
  readonly maxBatch: number;
  /** Most events held for a group that is behind. */
  readonly capacity: number;
  /** Whether an event, and all before it, may not wait for more of them (default: none may). */
  readonly isUrgent?: (event: RecordedEvent) => boolean;
  /** Whether somebody waits for the group (default: nobody does). */
  readonly isAwaited?: () => boolean;
}

/**
 * So long after a batch the next one gathers events that are not urgent, in milliseconds. A transaction costs Node a
 * millisecond or two however few events it holds, and every click would cause one: at 300 clicks/s two thirds of a core.
 */
const gatherFor = 200;

/** An empty feed: its group reads the log until the tail's offers reach it. */
export function openFeed(
  log: Pick<LogReader, "subscribe">,
  { maxBatch, capacity, isUrgent = () => true, isAwaited = () => false }: FeedOptions,
): Feed {
  /** The newest events offered, without a hole among them. */
  let offered: RecordedEvent[] = [];
  /** Place of the last event before those offered; undefined while events may be missing in between. */
  let joinedAt: Place | undefined;
  /** Place of the last urgent event that was offered. */
  let urgentAt: Place = null;
  let cursor: LogCursor | null = null;
  let lastHandedOut: RecordedEvent | undefined;
  let takenAt = -gatherFor;
  let closed = false;
  let wake = (): void => {};

  const readAlone = (): void => {
    joinedAt = undefined;
  };

  const stopReading = (): void => {
    cursor?.close();
    cursor = null;
  };

  /** Joins what is offered when that begins at or before the next event wanted. */
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

  /** When something is offered or hurries, or after a pause. */
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
    const isDue = gatheredFor >= gatherFor || offered.length >= maxBatch || isHurried;
    if (offered.length === 0 || !isDue) {
      await untilOffered(offered.length === 0 ? undefined : gatherFor - gatheredFor);
      // What has come may be too much, or what the group has read already: look again.
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
    hurry: () => wake(),
    waitingSince: () => (joinedAt !== undefined ? offered[0] : (lastHandedOut ?? offered[0]))?.recordedAt ?? null,
    close: () => {
      closed = true;
      stopReading();
      wake();
    },
  };
}
