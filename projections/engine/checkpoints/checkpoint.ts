import type { Knex } from "knex";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { GroupName } from "../../projection.ts";
import type { Place } from "./positions.ts";

/** How far a group has come, and in which log. */
export interface Checkpoint {
  readonly group: GroupName;
  readonly place: Place;
  readonly lastEventId: string | null;
  readonly logId: string;
  /** Events of the log up to here. */
  readonly events: bigint;
  readonly epoch: bigint;
  /** Versions that the group's runner applies, by projection. */
  readonly applies: Readonly<Record<string, number>>;
}

/** Another runner has taken over: this one may not write any more. */
export class Fenced extends Error {
  override readonly name = "Fenced";
}

/** A row of the table as the database answers it. */
export interface CheckpointRow {
  readonly group_name: GroupName;
  readonly commit_position: bigint | string | null;
  readonly prepare_position: bigint | string | null;
  readonly last_event_id: string | null;
  readonly log_id: string;
  readonly events: bigint | string;
  readonly epoch: bigint | string;
  readonly applies: Readonly<Record<string, number>>;
}

export function checkpointOf(row: CheckpointRow): Checkpoint {
  return {
    group: row.group_name,
    place:
      row.commit_position === null || row.prepare_position === null
        ? null
        : { commit: BigInt(row.commit_position), prepare: BigInt(row.prepare_position) },
    lastEventId: row.last_event_id,
    logId: row.log_id,
    events: BigInt(row.events),
    epoch: BigInt(row.epoch),
    applies: row.applies,
  };
}

/** The checkpoints of all groups that have ever run. */
export async function readCheckpoints(db: Knex | Knex.Transaction): Promise<readonly Checkpoint[]> {
  const { rows }: { rows: readonly CheckpointRow[] } = await db.raw(
    "select * from touchledger.checkpoints order by group_name",
  );
  return rows.map(checkpointOf);
}

/** The checkpoint of one group; null when it has never run. */
export async function readCheckpoint(db: Knex | Knex.Transaction, group: GroupName): Promise<Checkpoint | null> {
  const { rows }: { rows: readonly CheckpointRow[] } = await db.raw(
    "select * from touchledger.checkpoints where group_name = ?",
    [group],
  );
  return rows[0] === undefined ? null : checkpointOf(rows[0]);
}

/** The position up to which a group's read models are; 0 when it has never run. */
export async function passedPosition(db: Knex, group: GroupName): Promise<bigint> {
  return (await readCheckpoint(db, group))?.place?.commit ?? 0n;
}

/** The checkpoint of one group, which cannot move until the transaction ends; null when it has never run. */
export async function lockCheckpoint(trx: Knex.Transaction, group: GroupName): Promise<Checkpoint | null> {
  const { rows }: { rows: readonly CheckpointRow[] } = await trx.raw(
    "select * from touchledger.checkpoints where group_name = ? for update",
    [group],
  );
  return rows[0] === undefined ? null : checkpointOf(rows[0]);
}

/**
 * Moves a group's checkpoint on from where it was last seen to the last event of `batch`.
 * @throws {Fenced} when it is somewhere else by now, or of another epoch
 */
export async function advanceCheckpoint(
  trx: Knex.Transaction,
  from: Checkpoint,
  batch: readonly RecordedEvent[],
): Promise<void> {
  const last = batch.at(-1);
  if (last === undefined) return;
  const { rowCount }: { rowCount: number } = await trx.raw(
    `update touchledger.checkpoints
        set commit_position = ?, prepare_position = ?, last_event_id = ?, events = events + ?, advanced_at = now()
      where group_name = ?
        and epoch = ?
        and commit_position is not distinct from ?::bigint
        and prepare_position is not distinct from ?::bigint`,
    [
      String(last.position.commit),
      String(last.position.prepare),
      last.id,
      batch.length,
      from.group,
      String(from.epoch),
      from.place === null ? null : String(from.place.commit),
      from.place === null ? null : String(from.place.prepare),
    ],
  );
  if (rowCount !== 1) throw new Fenced(`The checkpoint of group ${from.group} was moved by another runner.`);
}
