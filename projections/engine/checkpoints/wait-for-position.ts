import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import type { GroupName, Projection } from "../../projection.ts";
import { type CheckpointRow, checkpointColumns, checkpointFrom } from "./checkpoint.ts";
import { comparePlaces, type Place } from "./positions.ts";

/**
 * Resolves with true as soon as everything up to `place` can be read from the group's read models, with false after
 * `timeoutMs` milliseconds.
 */
export type WaitForPosition = (group: GroupName, place: Place, timeoutMs: number) => Promise<boolean>;

const minPollMs = 10;
const maxPollMs = 200;

/** For a process that does not run the projections: polls the database. */
export function pollForPosition(db: Knex, projections: readonly Projection[]): WaitForPosition {
  return async (group, place, timeoutMs) => {
    const deadline = performance.now() + timeoutMs;
    for (let wait = minPollMs; ; wait = Math.min(maxPollMs, wait * 1.5)) {
      const current = await readablePlace(db, group, projections);
      if (current !== undefined && comparePlaces(current, place) >= 0) return true;
      const left = deadline - performance.now();
      if (left <= 0) return false;
      await delay(Math.min(wait, left));
    }
  };
}

/** How far a group can be read; undefined while one of its projections has no live generation that is read. */
async function readablePlace(
  db: Knex,
  group: GroupName,
  projections: readonly Projection[],
): Promise<Place | undefined> {
  const versions = projections.filter((projection) => projection.group === group);
  const { rows }: { rows: readonly CheckpointRow[] } = await db.raw(
    `select ${checkpointColumns}
     from touchledger.checkpoints
     where group_name = ?
       and coalesce(commit_position >= readable_from, readable_from is null)
       and (
         select count(*)
         from touchledger.generations
         where state = 'live' and projection || ' ' || version = any(?)
       ) = ?`,
    [group, versions.map(({ name, version }) => `${name} ${version}`), versions.length],
  );
  return rows[0] === undefined ? undefined : checkpointFrom(rows[0]).place;
}

/** How far the groups that run in this process can be read, known without a query, and who waits for a position. */
export interface PositionWaiters {
  /** The group's rows up to `place` can be read. */
  announce(group: GroupName, place: Place): void;
  /** Drops all positions, when this process stops being the leader. */
  forget(): void;
  /** Undefined when this process does not know it. */
  place(group: GroupName): Place | undefined;
  /** Whether a caller waits for the group. */
  isAwaited(group: GroupName): boolean;
  /** Resolves with true once the group has passed `place`, with false after `timeoutMs` or when positions are dropped. */
  wait(group: GroupName, place: Place, timeoutMs: number): Promise<boolean>;
}

interface Waiter {
  readonly place: Place;
  readonly settle: (passed: boolean) => void;
}

/** `onAwaited` is called when a caller begins to wait for a group. */
export function createPositionWaiters(onAwaited: (group: GroupName) => void): PositionWaiters {
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
    wait: (group, place, timeoutMs) => {
      if (hasPassed(group, place)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const waiting = waiters.get(group) ?? new Set();
        waiters.set(group, waiting);
        const timer = setTimeout(() => waiter.settle(false), timeoutMs);
        const waiter: Waiter = {
          place,
          settle: (passed) => {
            clearTimeout(timer);
            waiting.delete(waiter);
            resolve(passed);
          },
        };
        waiting.add(waiter);
        onAwaited(group);
      });
    },
  };
}

/** For a process that may run the projections: polls only while another process runs them. */
export function createWaitForPosition(positionWaiters: PositionWaiters, poll: WaitForPosition): WaitForPosition {
  return async (group, place, timeoutMs) => {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline || timeoutMs === 0) {
      const left = Math.max(0, deadline - performance.now());
      const isKnown = positionWaiters.place(group) !== undefined;
      const hasPassed = isKnown
        ? await positionWaiters.wait(group, place, left)
        : await poll(group, place, Math.min(maxPollMs, left));
      if (hasPassed) return true;
      if (timeoutMs === 0) return false;
    }
    return false;
  };
}
