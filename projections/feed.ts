import type { RecordedEvent } from "../domain/recorded-event.ts";
import { type LogCursor, openLogCursor } from "./log-cursor.ts";
import type { LogReader } from "./log-reader.ts";
import { comparePlaces, type Place } from "./positions.ts";

/**
 * What one group has still to apply. The tail offers every event as it comes and never waits; a group that is behind
 * by more than the feed holds, or that has gone back, reads the log itself until it meets what the tail offers. So a
 * slow group neither holds up the other nor fills the memory.
 */
export interface Feed {
  offer(batch: readonly RecordedEvent[]): void;
  /** The events that follow `after`, at least one, as soon as there are any; null once closed. */
  next(after: Place): Promise<readonly RecordedEvent[] | null>;
  /** When the oldest event that waits was recorded, or the last one handed out while the log is still being read. */
  waitingSince(): Date | null;
  close(): void;
}

export interface FeedOptions {
  /** Most events handed out at a time. */
  readonly maxBatch: number;
  /** Most events held for a group that is behind. */
  readonly capacity: number;
}

/** An empty feed: its group reads the log until the tail's offers reach it. */
export function openFeed(log: Pick<LogReader, "readAll">, { maxBatch, capacity }: FeedOptions): Feed {
  /** The newest events offered, without a hole among them. */
  let offered: RecordedEvent[] = [];
  /** While set, events may be missing between the group's place and the first one offered. */
  let cursor: LogCursor | null = null;
  let handedOut: Place | undefined;
  let lastHandedOut: RecordedEvent | undefined;
  let closed = false;
  let offers = 0;
  let wake: (() => void) | null = null;

  const waken = (): void => {
    wake?.();
    wake = null;
  };

  const dropUpTo = (place: Place): void => {
    const first = offered.findIndex((event) => comparePlaces(event.position, place) > 0);
    offered = first < 0 ? [] : offered.slice(first);
  };

  const isJoined = (after: Place): boolean => {
    const [oldest] = offered;
    if (oldest !== undefined && comparePlaces(oldest.position, after) <= 0) {
      dropUpTo(after);
      cursor = null;
      handedOut = after;
    }
    return handedOut !== undefined && cursor === null && comparePlaces(handedOut, after) === 0;
  };

  return {
    offer: (batch) => {
      if (offered.length + batch.length > capacity) {
        offered = [];
        handedOut = undefined;
      }
      offered.push(...batch);
      offers += 1;
      waken();
    },
    next: async (after) => {
      while (!closed) {
        const seen = offers;
        if (isJoined(after)) {
          const batch = offered.splice(0, maxBatch);
          handedOut = batch.at(-1)?.position ?? after;
          lastHandedOut = batch.at(-1) ?? lastHandedOut;
          if (batch.length > 0) return batch;
        } else {
          if (cursor === null || comparePlaces(cursor.place(), after) !== 0)
            cursor = openLogCursor(log, after, maxBatch);
          const batch = await cursor.next();
          lastHandedOut = batch.at(-1) ?? lastHandedOut;
          if (batch.length > 0) return batch;
        }
        if (offers !== seen || closed) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return null;
    },
    waitingSince: () => (cursor === null ? offered[0] : (lastHandedOut ?? offered[0]))?.recordedAt ?? null,
    close: () => {
      closed = true;
      waken();
    },
  };
}
