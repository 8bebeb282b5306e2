import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import type { GroupName, Projection } from "../../projection.ts";
import { type CheckpointRow, checkpointColumns, checkpointFrom } from "./checkpoint.ts";
import { comparePositions, type PositionOrStart } from "./positions.ts";

/**
 * Resolves with true as soon as everything up to `position` can be read from the group's read models, with false after
 * `timeoutMs` milliseconds.
 */
export type WaitForPosition = (group: GroupName, position: PositionOrStart, timeoutMs: number) => Promise<boolean>;

const minPollMs = 10;
const maxPollMs = 200;

/** For a process that does not run the projections: polls the database. */
export function pollForPosition(db: Knex, projections: readonly Projection[]): WaitForPosition {
  return async (group, position, timeoutMs) => {
    const deadline = performance.now() + timeoutMs;
    for (let wait = minPollMs; ; wait = Math.min(maxPollMs, wait * 1.5)) {
      const current = await readablePosition(db, group, projections);
      if (current !== undefined && comparePositions(current, position) >= 0) return true;
      const left = deadline - performance.now();
      if (left <= 0) return false;
      await delay(Math.min(wait, left));
    }
  };
}

/** How far a group can be read; undefined while one of its projections has no live generation that is read. */
async function readablePosition(
  db: Knex,
  group: GroupName,
  projections: readonly Projection[],
): Promise<PositionOrStart | undefined> {
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
  return rows[0] === undefined ? undefined : checkpointFrom(rows[0]).position;
}

/** How far the groups that run in this process can be read, known without a query, and who waits for a position. */
export interface PositionWaiters {
  /** The group's rows up to `position` can be read. */
  announce(group: GroupName, position: PositionOrStart): void;
  /** Drops all positions, when this process stops being the leader. */
  forget(): void;
  /** Undefined when this process does not know it. */
  position(group: GroupName): PositionOrStart | undefined;
  /** Whether a caller waits for the group. */
  isAwaited(group: GroupName): boolean;
  /** Resolves with true once the group has passed `position`, with false after `timeoutMs` or when positions are dropped. */
  wait(group: GroupName, position: PositionOrStart, timeoutMs: number): Promise<boolean>;
}

interface Waiter {
  readonly position: PositionOrStart;
  readonly settle: (passed: boolean) => void;
}

/** `onAwaited` is called when a caller begins to wait for a group. */
export function createPositionWaiters(onAwaited: (group: GroupName) => void): PositionWaiters {
  const positions = new Map<GroupName, PositionOrStart>();
  const waiters = new Map<GroupName, Set<Waiter>>();

  const hasPassed = (group: GroupName, position: PositionOrStart): boolean => {
    const current = positions.get(group);
    return current !== undefined && comparePositions(current, position) >= 0;
  };

  return {
    announce: (group, position) => {
      positions.set(group, position);
      for (const waiter of waiters.get(group) ?? []) if (hasPassed(group, waiter.position)) waiter.settle(true);
    },
    forget: () => {
      positions.clear();
      for (const group of waiters.values()) for (const waiter of group) waiter.settle(false);
    },
    position: (group) => positions.get(group),
    isAwaited: (group) => (waiters.get(group)?.size ?? 0) > 0,
    wait: (group, position, timeoutMs) => {
      if (hasPassed(group, position)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const waiting = waiters.get(group) ?? new Set();
        waiters.set(group, waiting);
        const timer = setTimeout(() => waiter.settle(false), timeoutMs);
        const waiter: Waiter = {
          position,
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
  return async (group, position, timeoutMs) => {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline || timeoutMs === 0) {
      const left = Math.max(0, deadline - performance.now());
      const isKnown = positionWaiters.position(group) !== undefined;
      const hasPassed = isKnown
        ? await positionWaiters.wait(group, position, left)
        : await poll(group, position, Math.min(maxPollMs, left));
      if (hasPassed) return true;
      if (timeoutMs === 0) return false;
    }
    return false;
  };
}
