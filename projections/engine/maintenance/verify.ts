import type { Knex } from "knex";
import type { GroupName, Projection, SchemaName } from "../../projection.ts";
import { type Checkpoint, readCheckpoint } from "../checkpoints/checkpoint.ts";
import { comparePlaces, type Place } from "../checkpoints/positions.ts";
import { type Build, openBuild } from "../generations/build.ts";
import { type BuildProgress, RebuildRefused, withBuildLocks } from "../generations/rebuild.ts";
import { readParked } from "../parking/parking.ts";
import { generationKey, grouped, startBatch } from "../runner/batch-start.ts";
import type { LogReader } from "../runner/log-reader.ts";
import { differingRows, hashTable, type RowDifference } from "./table-hash.ts";

/** One table, live and replayed. */
export interface VerifiedTable {
  readonly projection: string;
  readonly table: string;
  readonly liveRows: number;
  readonly replayedRows: number;
  /** SHA-256 of all rows. */
  readonly liveHash: string;
  readonly replayedHash: string;
  /** The first rows that differ, by key; empty when none does. */
  readonly differences: readonly RowDifference[];
}

export interface Verification {
  readonly group: GroupName;
  /** The place at which everything was compared. */
  readonly place: Place;
  readonly tables: readonly VerifiedTable[];
  /** Events that the live generations have set aside: the replay has left them out as well. */
  readonly parked: number;
}

/**
 * Proves the read models of one group against the log: builds them aside, exactly to the place at which one snapshot of
 * the live tables stands, and compares every row. The group goes on meanwhile, but for the last stretch.
 * @throws {RebuildRefused} when a projection has no live generation, or is being built
 * @throws {PoisonEvent} when the replay meets an event that it cannot apply and that is not parked
 */
export async function verify(
  db: Knex,
  log: Pick<LogReader, "subscribe">,
  group: GroupName,
  projections: readonly Projection[],
  onProgress: (progress: BuildProgress) => void = () => undefined,
): Promise<Verification> {
  return withBuildLocks(db, projections, async () => {
    let of = 0;
    const build = await openBuild(db, log, projections, (progressing) =>
      onProgress({ events: progressing.events(), of }),
    );
    try {
      const near = await checkpointOfGroup(db, group);
      of = Number(near.events);
      await leaveOutParked(db, group, build);
      await build.advanceTo(near.place);
      const snapshot = await snapshotAtSamePlace(db, group, build);
      try {
        return {
          group,
          ...(await compare(snapshot, group, projections, build.schemas)),
          parked: await leaveOutParked(snapshot, group, build),
        };
      } finally {
        await snapshot.rollback();
      }
    } finally {
      build.close();
      await build.discard();
    }
  });
}

/**
 * A snapshot of the whole database in which the live tables and those built stand at the same place. The group's
 * checkpoint is locked while the build catches up and the snapshot is taken, and free again when this resolves.
 */
async function snapshotAtSamePlace(db: Knex, group: GroupName, build: Build): Promise<Knex.Transaction> {
  return db.transaction(async (lock) => {
    await startBatch(lock, group);
    await lock.raw("set local idle_in_transaction_session_timeout = 0");
    const { place } = await checkpointOfGroup(lock, group);
    await leaveOutParked(lock, group, build);
    await build.advanceTo(place);
    const snapshot = await db.transaction(null, { isolationLevel: "repeatable read", readOnly: true });
    // The first statement takes the snapshot.
    const taken = await checkpointOfGroup(snapshot, group);
    if (comparePlaces(taken.place, place) !== 0)
      throw new Error(`The checkpoint of group ${group} moved while locked.`);
    return snapshot;
  });
}

/** What the live generations have set aside cannot be replayed either; answers how many events that are. */
async function leaveOutParked(db: Knex | Knex.Transaction, group: GroupName, build: Build): Promise<number> {
  const parked = (await readParked(db)).filter((event) => event.group === group);
  build.skipEvent(grouped(parked.map(({ projection, eventId }) => [projection, eventId])));
  return parked.length;
}

async function compare(
  snapshot: Knex.Transaction,
  group: GroupName,
  projections: readonly Projection[],
  schemas: ReadonlyMap<Projection, SchemaName>,
): Promise<Pick<Verification, "place" | "tables">> {
  const { place } = await checkpointOfGroup(snapshot, group);
  const live = await liveSchemas(snapshot, group);
  const tables: VerifiedTable[] = [];
  for (const projection of projections) {
    const liveSchema = live.get(generationKey(projection));
    const replayedSchema = schemas.get(projection);
    if (liveSchema === undefined || replayedSchema === undefined) {
      throw new RebuildRefused(
        `Projection ${projection.name} has no live generation of version ${projection.version}.`,
      );
    }
    for (const [table, key] of Object.entries(projection.tables)) {
      const left = await hashTable(snapshot, liveSchema, table, key);
      const right = await hashTable(snapshot, replayedSchema, table, key);
      tables.push({
        projection: projection.name,
        table,
        liveRows: left.rows,
        replayedRows: right.rows,
        liveHash: left.hash,
        replayedHash: right.hash,
        differences:
          left.hash === right.hash ? [] : await differingRows(snapshot, liveSchema, replayedSchema, table, key),
      });
    }
  }
  return { place, tables };
}

async function liveSchemas(db: Knex.Transaction, group: GroupName): Promise<ReadonlyMap<string, SchemaName>> {
  const { rows }: { rows: readonly { readonly name: string; readonly version: number; readonly schema: string }[] } =
    await db.raw(
      `select projection as name, version, schema_name as schema
         from touchledger.generations where group_name = ? and state = 'live'`,
      [group],
    );
  return new Map(rows.map((row) => [generationKey(row), row.schema]));
}

async function checkpointOfGroup(db: Knex | Knex.Transaction, group: GroupName): Promise<Checkpoint> {
  const checkpoint = await readCheckpoint(db, group);
  if (checkpoint === null) throw new RebuildRefused(`Group ${group} has never run: there is nothing to verify.`);
  return checkpoint;
}
