import type { Knex } from "knex";
import type { GroupName, Projection } from "../../projection.ts";
import { type CheckpointRow, checkpointColumns, checkpointFrom } from "./checkpoint.ts";
import { comparePositions, type PositionOrStart } from "./positions.ts";

/**
 * Resolves with true as soon as everything up to `position` can be read from the group's read models, with false after
 * `timeoutMs` milliseconds, also when the database does not respond. With 0, what the next read shows.
 */
export type WaitForPosition = (group: GroupName, position: PositionOrStart, timeoutMs: number) => Promise<boolean>;

type Positions = ReadonlyMap<GroupName, PositionOrStart>;

/** A connection that does not respond is given up: all callers wait for the same read. */
const maxReadMs = 5_000;

/** How far each group can be read; without those of which a projection has no live generation that is read. */
export async function readablePositions(db: Knex, projections: readonly Projection[]): Promise<Positions> {
  const query = db.raw(
    `select ${checkpointColumns}
     from touchledger.checkpoints as checkpoint
     where coalesce(commit_position >= readable_from, readable_from is null)
       and not exists (
         select
         from unnest(?::text[], ?::text[], ?::integer[]) as needed (group_name, projection, version)
         where needed.group_name = checkpoint.group_name
           and not exists (
             select
             from touchledger.generations as live
             where live.projection = needed.projection
               and live.version = needed.version
               and live.state = 'live'
           )
       )`,
    [
      projections.map(({ group }) => group),
      projections.map(({ name }) => name),
      projections.map(({ version }) => version),
    ],
  );
  const { rows }: { rows: readonly CheckpointRow[] } = await query.timeout(maxReadMs);
  return new Map(rows.map(checkpointFrom).map(({ group, position }) => [group, position]));
}

/** How far the groups that run in this process can be read, known without a query, and who waits for a position. */
export interface PositionWaiters {
  /** The group's rows up to `position` can be read. */
  announce(group: GroupName, position: PositionOrStart): void;
  /** Drops all positions, when this process stops being the leader. */
  forget(): void;
  /** Ends all waits with false and reads no more; later waits end after their time. */
  close(): void;
  /** Whether a caller waits for the group, which runs in this process. */
  isAwaited(group: GroupName): boolean;
  /** Rejects when two reads in a row fail. */
  readonly wait: WaitForPosition;
}

interface Waiter {
  readonly group: GroupName;
  readonly position: PositionOrStart;
  /** Settled by the next read. */
  readonly isAskedOnce: boolean;
  settle(hasPassed: boolean): void;
  fail(failure: unknown): void;
}

const minPollMs = 10;
const maxPollMs = 200;

/**
 * @param read {@link readablePositions}: read again and again, once at a time, while a caller waits for a group that another
 * process may run
 * @param onAwaited called when a caller begins to wait for a group that runs in this process
 */
export function createPositionWaiters(
  read: () => Promise<Positions>,
  onAwaited: (group: GroupName) => void = () => {},
): PositionWaiters {
  const known = new Map<GroupName, PositionOrStart>();
  const waiters = new Map<GroupName, Set<Waiter>>();
  let isClosed = false;
  let isPolling = false;
  let pauseMs = 0;
  let wake = (): void => {};

  const hasPassed = (positions: Positions, { group, position }: Pick<Waiter, "group" | "position">): boolean => {
    const current = positions.get(group);
    return current !== undefined && comparePositions(current, position) >= 0;
  };
  const settleBy = (positions: Positions, waiter: Waiter): void => {
    if (hasPassed(positions, waiter)) waiter.settle(true);
    else if (waiter.isAskedOnce) waiter.settle(false);
  };
  const ofOtherProcesses = (): readonly Waiter[] =>
    [...waiters].flatMap(([group, waiting]) => (known.has(group) ? [] : [...waiting]));

  const poll = async (): Promise<void> => {
    if (isPolling) return;
    isPolling = true;
    let hasFailed = false;
    for (let asking = ofOtherProcesses(); !isClosed && asking.length > 0; asking = ofOtherProcesses()) {
      try {
        const positions = await read();
        hasFailed = false;
        for (const waiter of asking) settleBy(positions, waiter);
      } catch (failure) {
        // A single connection may have been lost: the next read has another one.
        for (const waiter of asking) if (hasFailed && !known.has(waiter.group)) waiter.fail(failure);
        hasFailed = true;
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      pauseMs = Math.min(maxPollMs, Math.max(minPollMs, pauseMs * 1.5));
    }
    isPolling = false;
  };
  const pollSoon = (): void => {
    if (isClosed) return;
    pauseMs = 0;
    wake();
    void poll();
  };

  return {
    announce: (group, position) => {
      known.set(group, position);
      for (const waiter of waiters.get(group) ?? []) settleBy(known, waiter);
    },
    forget: () => {
      known.clear();
      pollSoon();
    },
    close: () => {
      isClosed = true;
      for (const waiting of waiters.values()) for (const waiter of waiting) waiter.settle(false);
      wake();
    },
    isAwaited: (group) => known.has(group) && (waiters.get(group)?.size ?? 0) > 0,
    wait: (group, position, timeoutMs) => {
      if (hasPassed(known, { group, position })) return Promise.resolve(true);
      return new Promise((resolve, reject) => {
        const waiting = waiters.get(group) ?? new Set();
        waiters.set(group, waiting);
        const isAskedOnce = timeoutMs === 0 && !known.has(group) && !isClosed;
        const timer = isAskedOnce ? undefined : setTimeout(() => waiter.settle(false), timeoutMs);
        const end = (): void => {
          clearTimeout(timer);
          waiting.delete(waiter);
        };
        const waiter: Waiter = {
          ...{ group, position, isAskedOnce },
          settle: (passed) => {
            end();
            resolve(passed);
          },
          fail: (failure) => {
            end();
            reject(failure);
          },
        };
        waiting.add(waiter);
        if (known.has(group)) onAwaited(group);
        else pollSoon();
      });
    },
  };
}
