import type { Knex } from "knex";
import type { GroupName } from "../../projection.ts";
import { readCheckpoints } from "../checkpoints/checkpoint.ts";
import { comparePlaces, type Place } from "../checkpoints/positions.ts";
import { readGenerations } from "../generations/generations.ts";
import type { LogReader } from "./log-reader.ts";

export interface GroupStatus {
  readonly group: GroupName;
  readonly place: Place;
  /** Number of events of the log up to `place`. */
  readonly events: bigint;
  /** Distance to the log's head in positions of the event store (bytes, on a real one); 0 when it has caught up. */
  readonly lagPositions: bigint;
  /** Age in seconds of the oldest event not yet applied. */
  readonly lagSeconds: number;
  /** Why the group or a build for it is failing; null while it is not. */
  readonly failing: string | null;
}

/** The state of the projections, for `/readyz` and `/metrics`. */
export interface ProjectorStatus {
  /** Whether this process is the leader that runs them. */
  readonly isRunning: boolean;
  readonly head: Place;
  readonly groups: readonly GroupStatus[];
  /** Projections that cannot be read yet, because their first generation is being built. */
  readonly building: readonly string[];
  /** Number of parked events of live generations. */
  readonly parked: number;
  /** Needs an operator: events are parked, or a group is failing. */
  readonly isDegraded: boolean;
}

/** State of the groups that this process runs. */
export interface RunningGroups {
  isRunning(): boolean;
  waitingSince(group: GroupName): Date | null;
  failing(group: GroupName): string | null;
}

/** Returns a function that reads the status. It rejects when the log or the database is unavailable. */
export function createStatus(
  db: Knex,
  log: Pick<LogReader, "headPosition">,
  groups: readonly GroupName[],
  running: RunningGroups,
): () => Promise<ProjectorStatus> {
  const behindSince = new Map<GroupName, number>();

  const lagSeconds = (group: GroupName, isBehind: boolean): number => {
    if (!isBehind) {
      behindSince.delete(group);
      return 0;
    }
    const seen = behindSince.get(group) ?? Date.now();
    behindSince.set(group, seen);
    return Math.max(0, (Date.now() - (running.waitingSince(group)?.getTime() ?? seen)) / 1000);
  };

  return async () => {
    const [head, checkpoints, generations, parked] = await Promise.all([
      log.headPosition(),
      readCheckpoints(db),
      readGenerations(db),
      countParked(db),
    ]);
    const states = groups.map((group): GroupStatus => {
      const checkpoint = checkpoints.find((candidate) => candidate.group === group);
      const place = checkpoint?.place ?? null;
      const isBehind = comparePlaces(place, head) < 0;
      return {
        group,
        place,
        events: checkpoint?.events ?? 0n,
        lagPositions: isBehind && head !== null ? head.commit - (place?.commit ?? 0n) : 0n,
        lagSeconds: lagSeconds(group, isBehind),
        failing: running.failing(group),
      };
    });
    const live = new Set(generations.filter(({ state }) => state === "live").map(({ projection }) => projection));
    const building = generations.filter(({ state, projection }) => state === "building" && !live.has(projection));
    return {
      isRunning: running.isRunning(),
      head,
      groups: states,
      building: [...new Set(building.map(({ projection }) => projection))],
      parked,
      isDegraded: parked > 0 || states.some(({ failing }) => failing !== null),
    };
  };
}

async function countParked(db: Knex): Promise<number> {
  const { rows }: { rows: readonly { readonly count: number }[] } = await db.raw(
    `select count(*)::int as count
     from touchledger.parked_events
     join touchledger.generations using (schema_name)
     where state = 'live'`,
  );
  return rows[0]?.count ?? 0;
}
