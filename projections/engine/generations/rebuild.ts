import type { Knex } from "knex";
import type { GroupName, Projection } from "../../projection.ts";
import { type Checkpoint, lockCheckpoint, readCheckpoint } from "../checkpoints/checkpoint.ts";
import { replayFailure } from "../parking/find-poison.ts";
import type { LogReader } from "../runner/log-reader.ts";
import { buildLock, dropBuilding, promote } from "./generations.ts";
import { openReplay, type Replay, type ReplayWait } from "./replay.ts";

/** Progress of a replay. */
export interface ReplayProgress {
  /** Number of events of the log read so far. */
  readonly events: number;
  /** Number of events of the log up to the group's checkpoint. */
  readonly of: number;
}

export interface RebuildOptions extends ReplayWait {
  readonly onProgress?: (progress: ReplayProgress) => void;
  /** How long a replaced generation is kept for its readers: longer than their statement time-out. */
  readonly graceMs: number;
}

/** The read models cannot be rebuilt or verified now; the message gives the reason. */
export class RebuildRefused extends Error {
  override readonly name = "RebuildRefused";
}

/** Maximum events that are applied while the runner waits: well under a second. */
const maxLockedEvents = 4_000;

/**
 * Replays the log into new generations of projections of one group while the live ones stay in use, then promotes them
 * in one transaction, exactly at the group's checkpoint: readers never see a gap, and the runner's next batch is applied
 * to them.
 * @throws {RebuildRefused} when they are being built already, the server runs another version of them, or an event of them
 * was skipped meanwhile
 * @throws {PoisonEvent} when an event cannot be applied; nothing is changed then
 * @throws {LogStalled} when the event store fails for `stalledMs`; nothing is changed then
 */
export async function rebuild(
  db: Knex,
  log: Pick<LogReader, "subscribe">,
  group: GroupName,
  projections: readonly Projection[],
  options: RebuildOptions,
): Promise<void> {
  await withBuildLocks(db, projections, async () => {
    // Refuses before anything is created.
    await requireCheckpoint(db, group, projections);
    let of = 0;
    const report = (replay: Replay): void => options.onProgress?.({ events: replay.events(), of });
    const replay = await openReplay(db, log, projections, report, options);
    const catchUp = async (): Promise<void> => {
      for (let missing = Number.POSITIVE_INFINITY; missing > maxLockedEvents; ) {
        const checkpoint = await requireCheckpoint(db, group, projections);
        of = Number(checkpoint.events);
        missing = of - replay.events();
        await replay.advanceTo(checkpoint.position);
      }
    };
    try {
      await catchUp();
      await replay.createQueryIndexes();
      // On a large log creating the indexes took minutes, during which more events were appended.
      await catchUp();
      await db.transaction(async (trx) => {
        await lockCheckpoint(trx, group);
        const checkpoint = await requireCheckpoint(trx, group, projections);
        of = Number(checkpoint.events);
        await replay.advanceTo(checkpoint.position, trx);
        if (await replay.hasMissedSkips(trx))
          throw new RebuildRefused("An event was skipped while its projection was being built. Build it again.");
        await promote(trx, replay.schemas, options.graceMs);
      });
    } catch (failure) {
      const reason = await replayFailure(db, failure).finally(replay.discard);
      throw reason;
    } finally {
      replay.close();
    }
  });
}

/** @throws {RebuildRefused} when the group has never run */
export async function checkpointOfGroup(db: Knex | Knex.Transaction, group: GroupName): Promise<Checkpoint> {
  const checkpoint = await readCheckpoint(db, group);
  if (checkpoint !== null) return checkpoint;
  throw new RebuildRefused(`Group ${group} has never run. Start the instance first: it builds the read models.`);
}

async function requireCheckpoint(db: Knex | Knex.Transaction, group: GroupName, projections: readonly Projection[]) {
  const checkpoint = await checkpointOfGroup(db, group);
  for (const { name, version } of projections) {
    const applied = checkpoint.applies[name];
    if (applied === version) continue;
    throw new RebuildRefused(
      `The server applies ${applied === undefined ? "no" : `version ${applied} of`} projection ${name}, this program has ` +
        `version ${version}. Start the server in this version: it builds the new one by itself.`,
    );
  }
  return checkpoint;
}

/** Runs `work` while no other process builds the projections, after dropping the generations of killed builds. */
export async function withBuildLocks<Result>(
  db: Knex,
  projections: readonly Projection[],
  work: () => Promise<Result>,
): Promise<Result> {
  const names = projections.map(({ name }) => name);
  // The transaction only holds locks, which end with it or with its connection.
  return db.transaction(async (locks) => {
    await locks.raw("set local idle_in_transaction_session_timeout = 0");
    for (const name of [...names].sort()) {
      const { rows }: { rows: readonly { readonly held: boolean }[] } = await locks.raw(
        "select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as held",
        [buildLock + name],
      );
      if (rows[0]?.held !== true) throw new RebuildRefused(`Projection ${name} is being built by another process.`);
    }
    await db.transaction(async (trx) => {
      const { rows }: { rows: readonly { readonly schema_name: string }[] } = await trx.raw(
        `select schema_name
         from touchledger.generations
         where state = 'building' and projection = any(?)`,
        [names],
      );
      for (const { schema_name } of rows) await dropBuilding(trx, schema_name);
    });
    return work();
  });
}
