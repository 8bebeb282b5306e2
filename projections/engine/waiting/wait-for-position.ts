import type { Knex } from "knex";
import type { GroupName, Projection } from "../../projection.ts";
import { type CheckpointRow, checkpointOf } from "../checkpoints/checkpoint.ts";
import { comparePlaces, type Place } from "../checkpoints/positions.ts";
import { pause } from "../runner/backoff.ts";
import type { PositionWaiters } from "./position-waiters.ts";

/**
 * Resolves with true as soon as everything up to `place` can be read from the group's read models, with false when
 * that has not happened within `timeoutMs`.
 */
export type WaitForPosition = (group: GroupName, place: Place, timeoutMs: number) => Promise<boolean>;

const shortestPollMs = 10;
const longestPollMs = 200;

/** For a process that does not run the projections: polls the database. */
export function pollForPosition(db: Knex, projections: readonly Projection[]): WaitForPosition {
  return async (group, place, timeoutMs) => {
    const deadline = performance.now() + timeoutMs;
    for (let wait = shortestPollMs; ; wait = Math.min(longestPollMs, wait * 1.5)) {
      const current = await readablePlace(db, group, projections);
      if (current !== undefined && comparePlaces(current, place) >= 0) return true;
      const left = deadline - performance.now();
      if (left <= 0) return false;
      await pause(Math.min(wait, left));
    }
  };
}

/** For a process that may run the projections: polls only while another process runs them. */
export function createWaitForPosition(positionWaiters: PositionWaiters, poll: WaitForPosition): WaitForPosition {
  return async (group, place, timeoutMs) => {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline || timeoutMs === 0) {
      const left = Math.max(0, deadline - performance.now());
      if (positionWaiters.place(group) === undefined) {
        if (await poll(group, place, Math.min(longestPollMs, left))) return true;
      } else if (await waitedFor(positionWaiters, group, place, left)) return true;
      if (timeoutMs === 0) return false;
    }
    return false;
  };
}

/** Unlike `AbortSignal.timeout`, the timer keeps a process alive and is gone when the wait is over. */
async function waitedFor(
  positionWaiters: PositionWaiters,
  group: GroupName,
  place: Place,
  timeoutMs: number,
): Promise<boolean> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timeoutMs);
  try {
    return await positionWaiters.passed(group, place, over.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** How far a group can be read; undefined while a projection of it has no live generation. */
async function readablePlace(
  db: Knex,
  group: GroupName,
  projections: readonly Projection[],
): Promise<Place | undefined> {
  const versions = projections.filter((projection) => projection.group === group);
  const { rows }: { rows: readonly CheckpointRow[] } = await db.raw(
    `select * from touchledger.checkpoints
      where group_name = ?
        and (select count(*) from touchledger.generations
              where state = 'live' and projection || ' ' || version = any(?)) = ?`,
    [group, versions.map(({ name, version }) => `${name} ${version}`), versions.length],
  );
  return rows[0] === undefined ? undefined : checkpointOf(rows[0]).place;
}
