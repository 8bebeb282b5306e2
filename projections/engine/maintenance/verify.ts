import type { Knex } from "knex";
import type { DerivedTable, GroupName, Projection, SchemaName } from "../../projection.ts";
import type { PositionOrStart } from "../checkpoints/positions.ts";
import { readGenerations } from "../generations/generations.ts";
import { checkpointOfGroup, RebuildRefused, type ReplayProgress, withBuildLocks } from "../generations/rebuild.ts";
import { openReplay, type Replay } from "../generations/replay.ts";
import { replayFailure } from "../parking/find-poison.ts";
import { type LeftOutEvent, type ParkedEvent, readLeftOut, readParked } from "../parking/parking.ts";
import { readSkipped } from "../parking/skipped-events.ts";
import { grouped, lockGroup } from "../runner/lock-group.ts";
import type { LogReader } from "../runner/log-reader.ts";
import { differingRows, hashTables, type RowDifference } from "./table-hash.ts";

/** One table, live and replayed. */
export interface VerifiedTable {
  readonly projection: string;
  readonly table: string;
  readonly liveRows: number;
  readonly replayedRows: number;
  /** SHA-256 of all rows, with positions as `hashTables` counts them. */
  readonly liveHash: string;
  readonly replayedHash: string;
  /** The first rows that differ, by key; empty when none does. */
  readonly differences: readonly RowDifference[];
}

export interface Verification {
  readonly group: GroupName;
  /** The position in the log at which the tables were compared. */
  readonly position: PositionOrStart;
  readonly tables: readonly VerifiedTable[];
  /** What background jobs have derived from the tables; not of a projection with a table that differs. */
  readonly derived: readonly (DerivedTable & { readonly projection: string })[];
  /** The events that the live tables lack, and so the replayed ones. */
  readonly leftOut: readonly LeftOutEvent[];
}

/**
 * Compares every row of a group's read models with a replay of the log up to the same position. The group continues
 * meanwhile, except while the replay applies the last events.
 * @throws {RebuildRefused} when a projection has no live generation, or is being built, or when an event was retried or
 * skipped meanwhile
 * @throws {PoisonEvent} when the replay meets an event that it cannot apply and that is not parked
 * @throws {LogStalled} when the event store fails for `stalledMs`
 */
export async function verify(
  db: Knex,
  log: Pick<LogReader, "subscribe">,
  group: GroupName,
  projections: readonly Projection[],
  onProgress: (progress: ReplayProgress) => void,
  stalledMs: number,
): Promise<Verification> {
  return withBuildLocks(db, projections, async () => {
    let of = 0;
    const onReplayed = (current: Replay): void => onProgress({ events: current.events(), of });
    const replay = await openReplay(db, log, projections, onReplayed, { stalledMs });
    try {
      const checkpoint = await checkpointOfGroup(db, group);
      of = Number(checkpoint.events);
      const leftOut = await leaveOutParked(db, group, replay);
      await replay.advanceTo(checkpoint.position);
      const snapshot = await snapshotAtSamePosition(db, group, replay, leftOut);
      try {
        return {
          group,
          ...(await compare(snapshot, group, projections, replay.schemas)),
          leftOut: await readLeftOut(snapshot, projections),
        };
      } finally {
        await snapshot.rollback();
      }
    } catch (failure) {
      throw await replayFailure(db, failure);
    } finally {
      replay.close();
      await replay.discard();
    }
  });
}

/**
 * A snapshot of the whole database in which the live and the replayed tables are at the same position of the log. The
 * group's checkpoint is locked while the replay catches up and the snapshot is taken.
 * @param leftOut the events that the replay has left out so far
 */
async function snapshotAtSamePosition(
  db: Knex,
  group: GroupName,
  replay: Replay,
  leftOut: readonly ParkedEvent[],
): Promise<Knex.Transaction> {
  let opened = null as Knex.Transaction | null;
  try {
    return await db.transaction(async (lock) => {
      await lockGroup(lock, group);
      await lock.raw("set local idle_in_transaction_session_timeout = 0");
      const { position } = await checkpointOfGroup(lock, group);
      if (await replay.hasMissedSkips(lock)) throw meanwhileChanged("skipped");
      await requireLeftOut(lock, leftOut, await leaveOutParked(lock, group, replay));
      await replay.advanceTo(position);
      const snapshot = await db.transaction(null, { isolationLevel: "repeatable read" });
      opened = snapshot;
      // The first statement takes the snapshot.
      await snapshot.raw("select");
      return snapshot;
    });
  } catch (failure) {
    // The commit fails if the connection with the lock was lost: the group may have gone on before the snapshot.
    await opened?.rollback();
    throw failure;
  }
}

/** Skips the parked events of the live generations in the replay. Returns them. */
async function leaveOutParked(
  db: Knex | Knex.Transaction,
  group: GroupName,
  replay: Replay,
): Promise<readonly ParkedEvent[]> {
  const parked = (await readParked(db)).filter((event) => event.group === group);
  replay.skipEvents(grouped(parked.map(({ projection, eventId }) => [projection, eventId])));
  return parked;
}

/**
 * Checks that events which the replay left out are missing in the live tables too.
 * @throws {RebuildRefused} when one has been retried with success
 */
async function requireLeftOut(
  lock: Knex.Transaction,
  leftOut: readonly ParkedEvent[],
  parked: readonly ParkedEvent[],
): Promise<void> {
  for (const { projection, eventId } of leftOut) {
    if (parked.some((event) => event.projection === projection && event.eventId === eventId)) continue;
    if (!(await readSkipped(lock, projection)).has(eventId)) throw meanwhileChanged("retried");
  }
}

function meanwhileChanged(what: "retried" | "skipped"): RebuildRefused {
  return new RebuildRefused(`An event was ${what} while the read models were being verified. Verify them again.`);
}

async function compare(
  snapshot: Knex.Transaction,
  group: GroupName,
  projections: readonly Projection[],
  schemas: ReadonlyMap<Projection, SchemaName>,
): Promise<Pick<Verification, "position" | "tables" | "derived">> {
  const { position } = await checkpointOfGroup(snapshot, group);
  const generations = (await readGenerations(snapshot)).filter(({ state }) => state === "live");
  const tables: VerifiedTable[] = [];
  const derived: Verification["derived"][number][] = [];
  for (const projection of projections) {
    const liveSchema = generations.find(
      (live) => live.projection === projection.name && live.version === projection.version,
    )?.schema;
    const replayedSchema = schemas.get(projection);
    if (liveSchema === undefined || replayedSchema === undefined) {
      throw new RebuildRefused(
        `Projection ${projection.name} has no live generation of version ${projection.version}. ` +
          "Start the server in this version, or wait until it has built it.",
      );
    }
    const compared = await compareTables(snapshot, projection, liveSchema, replayedSchema);
    tables.push(...compared);
    if (projection.verifyDerived === undefined || !compared.every(isSame)) continue;
    const ofProjection = await projection.verifyDerived({ db: snapshot, schema: liveSchema });
    derived.push(...ofProjection.map((table) => ({ ...table, projection: projection.name })));
  }
  return { position, tables, derived };
}

async function compareTables(
  snapshot: Knex.Transaction,
  { name, tables }: Projection,
  live: SchemaName,
  replayed: SchemaName,
): Promise<readonly VerifiedTable[]> {
  const hashes = await hashTables(snapshot, [live, replayed], tables);
  const compared: VerifiedTable[] = [];
  for (const [table, key] of Object.entries(tables)) {
    const [left, right] = hashes.get(table) ?? [];
    if (left === undefined || right === undefined) throw new Error(`Table ${table} was not hashed`);
    compared.push({
      projection: name,
      table,
      liveRows: left.rows,
      replayedRows: right.rows,
      liveHash: left.hash,
      replayedHash: right.hash,
      differences: left.hash === right.hash ? [] : await differingRows(snapshot, live, replayed, table, key),
    });
  }
  return compared;
}

/** Whether the live rows of a table are those of its replay. */
const isSame = ({ liveHash, replayedHash }: VerifiedTable): boolean => liveHash === replayedHash;
