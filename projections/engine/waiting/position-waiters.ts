import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { GroupName } from "../../projection.ts";
import { comparePlaces, type Place } from "../checkpoints/positions.ts";

/** Called after each commit of a group with the events that were applied. */
export type CommitListener = (group: GroupName, batch: readonly RecordedEvent[]) => void;

/** How far the groups that run in this process can be read, known without a query, and who waits for a position. */
export interface PositionWaiters {
  /** The group's rows up to `place` can be read. */
  announce(group: GroupName, place: Place): void;
  /** Drops all positions, when this process stops being the leader. */
  forget(): void;
  /** Undefined when not known in this process. */
  place(group: GroupName): Place | undefined;
  /** Whether a caller waits for the group. */
  isAwaited(group: GroupName): boolean;
  /** Resolves with true once the group has passed `place`, with false when `signal` aborts or positions are dropped. */
  passed(group: GroupName, place: Place, signal: AbortSignal): Promise<boolean>;
}

interface Waiter {
  readonly place: Place;
  readonly settle: (passed: boolean) => void;
}

/** `onAwaited` is called when a caller begins to wait for a group. */
export function createPositionWaiters(onAwaited: (group: GroupName) => void = () => {}): PositionWaiters {
  const places = new Map<GroupName, Place>();
  const waiters = new Map<GroupName, Set<Waiter>>();

  const hasPassed = (group: GroupName, place: Place): boolean => {
    const current = places.get(group);
    return current !== undefined && comparePlaces(current, place) >= 0;
  };

  return {
    announce: (group, place) => {
      places.set(group, place);
      for (const waiter of waiters.get(group) ?? []) if (hasPassed(group, waiter.place)) waiter.settle(true);
    },
    forget: () => {
      places.clear();
      for (const group of waiters.values()) for (const waiter of group) waiter.settle(false);
    },
    place: (group) => places.get(group),
    isAwaited: (group) => (waiters.get(group)?.size ?? 0) > 0,
    passed: (group, place, signal) => {
      if (hasPassed(group, place)) return Promise.resolve(true);
      if (signal.aborted) return Promise.resolve(false);
      return new Promise((resolve) => {
        const waiting = waiters.get(group) ?? new Set();
        waiters.set(group, waiting);
        const stop = (): void => waiter.settle(false);
        const waiter: Waiter = {
          place,
          settle: (passed) => {
            waiting.delete(waiter);
            signal.removeEventListener("abort", stop);
            resolve(passed);
          },
        };
        waiting.add(waiter);
        signal.addEventListener("abort", stop, { once: true });
        onAwaited(group);
      });
    },
  };
}
