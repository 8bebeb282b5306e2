import type { Knex } from "knex";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { GroupName, Projection } from "../../projection.ts";
import { type Checkpoint, canServeReads, readCheckpoints } from "../checkpoints/checkpoint.ts";
import { comparePositions, type PositionOrStart } from "../checkpoints/positions.ts";
import { isCurrent, readGenerations } from "../generations/generations.ts";
import { hasLeader } from "../leader/leader-election.ts";
import type { LogReader } from "./log-reader.ts";

/** The leader of this role applies events to read models. */
export const projectorRole = "projector";
/** Maximum heads of the log that are kept while a group is behind; beyond that every other one is dropped. */
const maxHeads = 1_000;

export interface GroupStatus {
  readonly group: GroupName;
  readonly position: PositionOrStart;
  /** Number of events of the log up to `position`. */
  readonly events: bigint;
  /** Distance to the log's head in positions of the event store (bytes, on a real one); 0 when it has caught up. */
  readonly lagPositions: bigint;
  /** Age of the oldest pending event, in seconds; if that is unknown, the time since a later head was first seen. */
  readonly lagSeconds: number;
  /** Why the group or a build for it is failing; null while it is not. */
  readonly failing: string | null;
}

/** The state of the projections, for `/readyz` and `/metrics`. */
export interface ProjectorStatus {
  /** Whether this process is the leader that runs them. */
  readonly isRunning: boolean;
  /** Whether any process of the deployment is. */
  readonly hasLeader: boolean;
  readonly head: PositionOrStart;
  readonly groups: readonly GroupStatus[];
  /** Projections that this process cannot read: no generation of their version is built, or their group is not readable. */
  readonly unreadable: readonly string[];
  /** Number of parked events of the generations in use. */
  readonly parked: number;
  /** Needs an operator: events are parked, or a group is failing. */
  readonly isDegraded: boolean;
}

/** State of the groups that this process runs. */
export interface RunningGroups {
  isRunning(): boolean;
  /** An event that the group has not applied, or has just applied: the oldest one that is known. */
  oldestPending(group: GroupName): Pick<RecordedEvent, "position" | "recordedAt"> | null;
  failing(group: GroupName): string | null;
}

/** Returns a function that reads the status. It rejects when the log or the database is unavailable. */
export function createStatus(
  db: Knex,
  log: Pick<LogReader, "headPosition">,
  projections: readonly Projection[],
  running: RunningGroups,
): () => Promise<ProjectorStatus> {
  const groups = [...new Set(projections.map(({ group }) => group))];
  /** Heads of the log in the order in which they were seen. */
  let heads: { readonly head: PositionOrStart; readonly seenAt: number }[] = [];

  const noteHead = (head: PositionOrStart, checkpoints: readonly Checkpoint[]): void => {
    if (comparePositions(head, heads.at(-1)?.head ?? null) > 0) heads.push({ head, seenAt: Date.now() });
    const positions = groups.map((group) => checkpoints.find((one) => one.group === group)?.position ?? null);
    heads = heads.filter(({ head: seen }) => positions.some((position) => comparePositions(seen, position) > 0));
    if (heads.length > maxHeads) heads = heads.filter((_, index) => index % 2 === 0);
  };
  const lagSeconds = (group: GroupName, position: PositionOrStart): number => {
    const beyond = heads.find(({ head }) => comparePositions(head, position) > 0);
    if (beyond === undefined) return 0;
    const pending = running.oldestPending(group);
    // The time of an applied event does not count: the log may have been idle after it.
    const isPending = pending !== null && comparePositions(pending.position, position) > 0;
    const since = isPending ? Math.min(pending.recordedAt.getTime(), beyond.seenAt) : beyond.seenAt;
    return Math.max(0, (Date.now() - since) / 1000);
  };

  return async () => {
    // One after the other: together they would open connections, which take longer than the queries.
    const head = await log.headPosition();
    const checkpoints = await readCheckpoints(db);
    const generations = await readGenerations(db);
    const parked = await countParked(db);
    const isLed = await hasLeader(db, projectorRole);
    noteHead(head, checkpoints);
    const states = groups.map((group): GroupStatus => {
      const checkpoint = checkpoints.find((candidate) => candidate.group === group);
      const position = checkpoint?.position ?? null;
      const isBehind = comparePositions(position, head) < 0;
      return {
        group,
        position,
        events: checkpoint?.events ?? 0n,
        lagPositions: isBehind && head !== null ? head.commit - (position?.commit ?? 0n) : 0n,
        lagSeconds: lagSeconds(group, position),
        failing: running.failing(group),
      };
    });
    const isRead = ({ name, version, group }: Projection): boolean =>
      checkpoints.every((checkpoint) => checkpoint.group !== group || canServeReads(checkpoint)) &&
      generations.some((one) => one.projection === name && one.version === version && one.state !== "building");
    return {
      isRunning: running.isRunning(),
      hasLeader: isLed,
      head,
      groups: states,
      unreadable: projections.filter((projection) => !isRead(projection)).map(({ name }) => name),
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
     where ${isCurrent}`,
  );
  return rows[0]?.count ?? 0;
}
