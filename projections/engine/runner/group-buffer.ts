import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { comparePositions, type PositionOrStart } from "../checkpoints/positions.ts";

/**
 * The newest events of the log that a group has not applied, without gaps. Their weight is their number; events of
 * uploaded rows weigh more.
 */
interface GroupBuffer {
  /** Adds the next events of the log; forgets the others when they weigh more than the capacity. */
  add(batch: readonly RecordedEvent[]): void;
  /** Drops the events up to `after`; whether the buffer has, or will have, every event after it. */
  continuesAfter(after: PositionOrStart): boolean;
  /** Removes the oldest events, at least one, up to a weight. Only once `continuesAfter` has returned true. */
  take(maxBatch: number): readonly RecordedEvent[];
  weight(): number;
  hasUrgentAfter(after: PositionOrStart): boolean;
  oldest(): RecordedEvent | undefined;
  /** Whether no event before the oldest one is missing. */
  isJoined(): boolean;
}

/** So many uploaded rows take as much memory as another event. */
const rowsOfEvent = 20;

function weightOf({ data }: RecordedEvent): number {
  return 1 + ("rows" in data && Array.isArray(data.rows) ? Math.floor(data.rows.length / rowsOfEvent) : 0);
}

function weightOfAll(events: readonly RecordedEvent[]): number {
  return events.reduce((sum, event) => sum + weightOf(event), 0);
}

export function createGroupBuffer(capacity: number, isUrgent: (event: RecordedEvent) => boolean): GroupBuffer {
  let events: RecordedEvent[] = [];
  let weight = 0;
  /** Position of the last event before `events`; undefined while events may be missing in between. */
  let joinedAt: PositionOrStart | undefined;
  /** Position of the last urgent event. */
  let urgentAt: PositionOrStart = null;

  return {
    add: (batch) => {
      const added = weightOfAll(batch);
      if (weight + added > capacity) {
        events = [];
        weight = 0;
        joinedAt = undefined;
      }
      weight += added;
      for (const event of batch) {
        events.push(event);
        if (isUrgent(event)) urgentAt = event.position;
      }
    },
    continuesAfter: (after) => {
      const [oldest] = events;
      if (oldest !== undefined && comparePositions(oldest.position, after) <= 0) {
        const first = events.findIndex((event) => comparePositions(event.position, after) > 0);
        events = first < 0 ? [] : events.slice(first);
        weight = weightOfAll(events);
        joinedAt = after;
      }
      return joinedAt !== undefined && comparePositions(joinedAt, after) === 0;
    },
    take: (maxBatch) => {
      let count = 0;
      let taken = 0;
      for (const event of events) {
        const next = taken + weightOf(event);
        if (count > 0 && next > maxBatch) break;
        count += 1;
        taken = next;
      }
      const batch = events.splice(0, count);
      weight -= taken;
      joinedAt = batch.at(-1)?.position ?? joinedAt;
      return batch;
    },
    weight: () => weight,
    hasUrgentAfter: (after) => comparePositions(urgentAt, after) > 0,
    oldest: () => events[0],
    isJoined: () => joinedAt !== undefined,
  };
}
