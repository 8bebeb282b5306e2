import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { comparePlaces, type Place } from "../checkpoints/positions.ts";

/** The newest events of the log that a group has not applied, without gaps. */
interface GroupBuffer {
  /** Adds the next events of the log; forgets the others when there are more than the capacity. */
  add(batch: readonly RecordedEvent[]): void;
  /** Drops the events up to `after`; whether the buffer has, or will have, every event after it. */
  continuesAfter(after: Place): boolean;
  /** Removes the oldest events. Only once `continuesAfter` has returned true. */
  take(maxBatch: number): readonly RecordedEvent[];
  length(): number;
  hasUrgentAfter(after: Place): boolean;
  oldest(): RecordedEvent | undefined;
  /** Whether no event before the oldest one is missing. */
  isJoined(): boolean;
}

export function createGroupBuffer(capacity: number, isUrgent: (event: RecordedEvent) => boolean): GroupBuffer {
  let events: RecordedEvent[] = [];
  /** Place of the last event before `events`; undefined while events may be missing in between. */
  let joinedAt: Place | undefined;
  /** Place of the last urgent event. */
  let urgentAt: Place = null;

  return {
    add: (batch) => {
      if (events.length + batch.length > capacity) {
        events = [];
        joinedAt = undefined;
      }
      for (const event of batch) {
        events.push(event);
        if (isUrgent(event)) urgentAt = event.position;
      }
    },
    continuesAfter: (after) => {
      const [oldest] = events;
      if (oldest !== undefined && comparePlaces(oldest.position, after) <= 0) {
        const first = events.findIndex((event) => comparePlaces(event.position, after) > 0);
        events = first < 0 ? [] : events.slice(first);
        joinedAt = after;
      }
      return joinedAt !== undefined && comparePlaces(joinedAt, after) === 0;
    },
    take: (maxBatch) => {
      const batch = events.splice(0, maxBatch);
      joinedAt = batch.at(-1)?.position ?? joinedAt;
      return batch;
    },
    length: () => events.length,
    hasUrgentAfter: (after) => comparePlaces(urgentAt, after) > 0,
    oldest: () => events[0],
    isJoined: () => joinedAt !== undefined,
  };
}
