import type { Knex } from "knex";
import { itemsByKey } from "../../../domain/items-by-key.ts";
import { nearestName } from "../../../domain/values/nearest-name.ts";
import type { GroupName, Projection } from "../../projection.ts";
import { type Checkpoint, deleteCheckpoints, readCheckpoints } from "../checkpoints/checkpoint.ts";
import { checkIdentity, requireLogId, WrongLog } from "../checkpoints/log-identity.ts";
import { comparePositions, type PositionOrStart } from "../checkpoints/positions.ts";
import { createEngineTables } from "../engine-tables.ts";
import { defaultGraceMs, dropGeneration, type Generation, readGenerations } from "../generations/generations.ts";
import { RebuildRefused, type ReplayProgress, rebuild } from "../generations/rebuild.ts";
import { tryRunAsLeader } from "../leader/leader-election.ts";
import { type ParkedEvent, readParked } from "../parking/parking.ts";
import { type Retried, retryParked, skipParked } from "../parking/retry-and-skip.ts";
import type { EngineLogger, LogReader } from "../runner/log-reader.ts";
import { createProjector } from "../runner/projector.ts";
import { projectorRole } from "../runner/status.ts";
import { defaultStalledMs, watchForStall } from "../runner/watch-for-stall.ts";
import { type Verification, verify } from "./verify.ts";
import { headInTime, waitForHead } from "./wait-for-head.ts";

/** What an operator can see of the read models. */
export interface ReadModelStatus {
  readonly head: PositionOrStart;
  readonly checkpoints: readonly Checkpoint[];
  readonly generations: readonly Generation[];
  readonly parked: readonly ParkedEvent[];
}

/** What an operator can do to the read models, also while a server runs. */
export interface OperatorCommands {
  status(): Promise<ReadModelStatus>;
  /**
   * Rebuilds projections. Read models are replaced without a gap, except when all are rebuilt that belong to another
   * log: those are dropped first.
   */
  rebuild(names: readonly string[] | "all", onProgress: OnProgress): Promise<void>;
  verify(onProgress: OnProgress): Promise<readonly Verification[]>;
  parked(projection?: string): Promise<readonly ParkedEvent[]>;
  retry(projection: string, stream?: string): Promise<Retried>;
  skip(projection: string, position: bigint): Promise<Retried>;
}

export type OnProgress = (group: GroupName, progress: ReplayProgress) => void;

/** There is no projection of that name. */
export class UnknownProjection extends Error {
  override readonly name = "UnknownProjection";
}

const reportEveryMs = 250;

/**
 * Creates the engine's tables when they are missing. Commands that wait for a group fail when its checkpoint does not
 * advance for `stalledMs`, and those that read the log when the event store fails for as long.
 */
export async function openOperatorCommands(
  db: Knex,
  log: LogReader,
  projections: readonly Projection[],
  logger: EngineLogger,
  stalledMs = defaultStalledMs,
): Promise<OperatorCommands> {
  await createEngineTables(db);

  const findProjection = (name: string): Projection => {
    const found = projections.find((projection) => projection.name === name);
    if (found !== undefined) return found;
    const names = projections.map((projection) => projection.name);
    const nearest = nearestName(name, names);
    const suggestion = nearest === null ? "" : ` Did you mean ${nearest}?`;
    throw new UnknownProjection(
      `There is no projection ${name}.${suggestion} The projections are ${names.join(", ")}.`,
    );
  };

  /** Whether the read models belong to this log; null when there are none yet. */
  const belongToLog = async (): Promise<boolean | null> => {
    const checkpoints = await readCheckpoints(db);
    const logId = await requireLogId(log);
    try {
      for (const checkpoint of checkpoints) await checkIdentity(log, logId, checkpoint);
    } catch (failure) {
      if (failure instanceof WrongLog) return false;
      throw failure;
    }
    return checkpoints.length === 0 ? null : true;
  };

  /** Runs the projections in this process, from the beginning of the log to its current head. */
  const runToHead = async (onProgress: OnProgress): Promise<void> => {
    const stall = watchForStall(log, stalledMs);
    const retrying = { ...stall.log, headPosition: () => headInTime(log, stalledMs) };
    const projector = createProjector({ db, log: retrying, projections, logger });
    await projector.start();
    try {
      const { head, groups } = await projector.status();
      for (const { group } of groups) {
        let last: PositionOrStart = null;
        let since = performance.now();
        while (!(await projector.waitForPosition(group, head, reportEveryMs))) {
          const { groups: now } = await projector.status();
          const { position = null, events = 0n, failing = null } = now.find((state) => state.group === group) ?? {};
          onProgress(group, { events: Number(events), of: 0 });
          if (comparePositions(position, last) !== 0) {
            stall.restart();
            since = performance.now();
          }
          last = position;
          stall.check(position);
          if (failing !== null && performance.now() - since >= stalledMs)
            throw new RebuildRefused(`Group ${group} makes no progress: ${failing}`);
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
      for (const [group, members] of itemsByKey(names === "all" ? projections : names.map(findProjection), groupOf)) {
        await waitForHead(db, log, group, stalledMs);
        await rebuild(db, log, group, members, {
          graceMs: defaultGraceMs,
          stalledMs,
          onProgress: (progress) => onProgress(group, progress),
        });
      }
    },
    verify: async (onProgress) => {
      if ((await belongToLog()) === false) throw new WrongLog("The read models were built from another log.");
      const verifications: Verification[] = [];
      for (const [group, members] of itemsByKey(projections, groupOf)) {
        await waitForHead(db, log, group, stalledMs);
        verifications.push(await verify(db, log, group, members, (progress) => onProgress(group, progress), stalledMs));
      }
      return verifications;
    },
    parked: (projection) => readParked(db, projection === undefined ? undefined : findProjection(projection).name),
    retry: (projection, stream) => retryParked(db, log, findProjection(projection), stream),
    skip: (projection, position) => skipParked(db, log, findProjection(projection), position),
  };
}

function groupOf({ group }: Projection): GroupName {
  return group;
}

/**
 * Drops every read model and checkpoint, so that the next runner begins at the beginning of the log. Schema `work` is
 * kept.
 * @throws {RebuildRefused} while a server runs the projections
 */
async function resetReadModels(db: Knex): Promise<void> {
  const isLeader = await tryRunAsLeader(db, projectorRole, async () => {
    await db.transaction(async (trx) => {
      for (const { schema } of await readGenerations(trx)) await dropGeneration(trx, schema);
      await deleteCheckpoints(trx);
      await trx.raw("delete from touchledger.log_clock");
    });
  });
  if (!isLeader) throw new RebuildRefused("A server is running the projections. Stop it first.");
}
