import type { Knex } from "knex";
import type { GroupName, Projection } from "../../projection.ts";
import { type Checkpoint, readCheckpoints } from "../checkpoints/checkpoint.ts";
import { checkIdentity, readLogId, WrongLog } from "../checkpoints/log-identity.ts";
import type { Place } from "../checkpoints/positions.ts";
import { createEngineTables } from "../engine-tables.ts";
import { type Generation, readGenerations } from "../generations/generations.ts";
import { type BuildProgress, rebuild } from "../generations/rebuild.ts";
import { type ParkedEvent, readParked } from "../parking/parking.ts";
import { type Retried, retryParked, skipParked } from "../parking/retry-parked.ts";
import type { EngineLog, LogReader } from "../runner/log-reader.ts";
import { createProjector, defaultGraceMs } from "../runner/projector.ts";
import { resetReadModels } from "./reset.ts";
import { type Verification, verify } from "./verify.ts";

/** What an operator can see of the read models. */
export interface MaintenanceStatus {
  readonly head: Place;
  readonly checkpoints: readonly Checkpoint[];
  readonly generations: readonly Generation[];
  readonly parked: readonly ParkedEvent[];
}

/** What an operator can do to the read models, also while a server runs. */
export interface Maintenance {
  status(): Promise<MaintenanceStatus>;
  /**
   * Builds the named projections anew, or all. All of them are dropped first when they were built from another log;
   * else they are replaced without a gap.
   */
  rebuild(names: readonly string[] | "all", onProgress: OnProgress): Promise<void>;
  verify(onProgress: OnProgress): Promise<readonly Verification[]>;
  parked(projection?: string): Promise<readonly ParkedEvent[]>;
  retry(projection: string, stream?: string): Promise<Retried>;
  skip(projection: string, position: bigint): Promise<Retried>;
}

export type OnProgress = (group: GroupName, progress: BuildProgress) => void;

/** There is no projection of that name. */
export class UnknownProjection extends Error {
  override readonly name = "UnknownProjection";
}

const lookAgainMs = 250;

/** The operator's tools on a database and a log. The engine's tables are made when they are missing. */
export async function openMaintenance(
  db: Knex,
  log: LogReader,
  projections: readonly Projection[],
  engineLog: EngineLog,
): Promise<Maintenance> {
  await createEngineTables(db);

  const named = (name: string): Projection => {
    const found = projections.find((projection) => projection.name === name);
    if (found !== undefined) return found;
    const names = projections.map((projection) => projection.name).join(", ");
    throw new UnknownProjection(`There is no projection ${name}. The projections are ${names}.`);
  };

  /** Whether the read models belong to this log; null when there are none yet. */
  const belongToLog = async (): Promise<boolean | null> => {
    const checkpoints = await readCheckpoints(db);
    const logId = await readLogId(log);
    try {
      for (const checkpoint of checkpoints) await checkIdentity(log, logId, checkpoint);
    } catch (failure) {
      if (failure instanceof WrongLog) return false;
      throw failure;
    }
    return checkpoints.length === 0 ? null : true;
  };

  /** Runs the projections here, from the beginning to the head of now. */
  const runToHead = async (onProgress: OnProgress): Promise<void> => {
    const projector = createProjector({ db, log, projections, engineLog });
    await projector.start();
    try {
      const { head, groups } = await projector.status();
      for (const { group } of groups) {
        while (!(await projector.waitForPosition(group, head, lookAgainMs))) {
          const { groups: now } = await projector.status();
          const events = Number(now.find((state) => state.group === group)?.events ?? 0);
          onProgress(group, { events, of: 0 });
        }
      }
    } finally {
      await projector.stop();
    }
  };

  return {
    status: async () => ({
      head: await log.headPosition(),
      checkpoints: await readCheckpoints(db),
      generations: await readGenerations(db),
      parked: await readParked(db),
    }),
    rebuild: async (names, onProgress) => {
      const belong = await belongToLog();
      if (belong !== true && names === "all") {
        await resetReadModels(db);
        return runToHead(onProgress);
      }
      if (belong === false) throw new WrongLog("The read models were built from another log: rebuild all of them.");
      for (const [group, members] of byGroup(names === "all" ? projections : names.map(named))) {
        await rebuild(db, log, group, members, {
          graceMs: defaultGraceMs,
          onProgress: (progress) => onProgress(group, progress),
        });
      }
    },
    verify: async (onProgress) => {
      if ((await belongToLog()) === false) throw new WrongLog("The read models were built from another log.");
      const verifications: Verification[] = [];
      for (const [group, members] of byGroup(projections)) {
        verifications.push(await verify(db, log, group, members, (progress) => onProgress(group, progress)));
      }
      return verifications;
    },
    parked: (projection) => readParked(db, projection === undefined ? undefined : named(projection).name),
    retry: (projection, stream) => retryParked(db, log, named(projection), stream),
    skip: (projection, position) => skipParked(db, log, named(projection), position),
  };
}

function byGroup(projections: readonly Projection[]): ReadonlyMap<GroupName, readonly Projection[]> {
  const groups = new Map<GroupName, Projection[]>();
  for (const projection of projections) {
    groups.set(projection.group, [...(groups.get(projection.group) ?? []), projection]);
  }
  return groups;
}
