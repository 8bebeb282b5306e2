import type { Knex } from "knex";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { GroupName } from "../../projection.ts";
import type { PositionOrStart } from "./positions.ts";

/** The position in the log that a group has reached. */
export interface Checkpoint {
  readonly group: GroupName;
  readonly position: PositionOrStart;
  readonly lastEventId: string | null;
  readonly logId: string;
  /** Number of events of the log up to `position`. */
  readonly events: bigint;
  readonly epoch: bigint;
  /** Versions that the group's runner applies, by projection. */
  readonly applies: Readonly<Record<string, number>>;
  /** Commit position of the log's head when the group began with empty tables; null when the log was empty too. */
  readonly readableFrom: bigint | null;
}

/** Whether the group has reached what the log had when it began. */
export function canServeReads({ position, readableFrom }: Pick<Checkpoint, "position" | "readableFrom">): boolean {
  return readableFrom === null || (position !== null && position.commit >= readableFrom);
}

/** Another runner has taken over: this one must not write any more. */
export class Fenced extends Error {
  override readonly name = "Fenced";
}

/** The columns that {@link checkpointFrom} reads. */
export const checkpointColumns = `
  group_name as "group", commit_position as commit, prepare_position as prepare, last_event_id as "lastEventId",
  log_id as "logId", events, epoch, applies, readable_from as "readableFrom"`;

export interface CheckpointRow extends Omit<Checkpoint, "position"> {
  readonly commit: bigint | null;
  readonly prepare: bigint | null;
}

export function checkpointFrom({ commit, prepare, ...row }: CheckpointRow): Checkpoint {
  return { ...row, position: commit === null || prepare === null ? null : { commit, prepare } };
}

/** The checkpoints of all groups that have ever run. */
export async function readCheckpoints(db: Knex | Knex.Transaction): Promise<readonly Checkpoint[]> {
  const { rows }: { rows: readonly CheckpointRow[] } = await db.raw(
    `select ${checkpointColumns}
     from touchledger.checkpoints
     order by group_name`,
  );
  return rows.map(checkpointFrom);
}

/** The checkpoint of one group; null when it has never run. */
export async function readCheckpoint(db: Knex | Knex.Transaction, group: GroupName): Promise<Checkpoint | null> {
  return (await readCheckpoints(db)).find((checkpoint) => checkpoint.group === group) ?? null;
}

/** The position that a group's read models have reached; 0 when it has never run. */
export async function passedPosition(db: Knex, group: GroupName): Promise<bigint> {
  return (await readCheckpoint(db, group))?.position?.commit ?? 0n;
}

/** The checkpoint of one group, which cannot move until the transaction ends; null when it has never run. */
export async function lockCheckpoint(trx: Knex.Transaction, group: GroupName): Promise<Checkpoint | null> {
  const { rows }: { rows: readonly CheckpointRow[] } = await trx.raw(
    `select ${checkpointColumns}
     from touchledger.checkpoints
     where group_name = ?
     for update`,
    [group],
  );
  return rows[0] === undefined ? null : checkpointFrom(rows[0]);
}

/** {@link lockCheckpoint}, after which a group that has never run has the checkpoint at the start of a log. */
export async function lockOrCreateCheckpoint(
  trx: Knex.Transaction,
  group: GroupName,
  logId: string,
): Promise<Checkpoint> {
  await trx.raw(
    `insert into touchledger.checkpoints (group_name, log_id)
     values (?, ?)
     on conflict (group_name) do nothing`,
    [group, logId],
  );
  const checkpoint = await lockCheckpoint(trx, group);
  if (checkpoint === null) throw new Error(`The checkpoint of group ${group} was removed meanwhile.`);
  return checkpoint;
}

/** Gives a locked checkpoint to the runner of its epoch. */
export async function storeRunner(
  trx: Knex.Transaction,
  { group, epoch, applies, readableFrom }: Pick<Checkpoint, "group" | "epoch" | "applies" | "readableFrom">,
): Promise<void> {
  await trx.raw(
    `update touchledger.checkpoints
     set epoch = ?,
         applies = ?,
         readable_from = ?
     where group_name = ?`,
    [String(epoch), JSON.stringify(applies), readableFrom === null ? null : String(readableFrom), group],
  );
}

/**
 * Moves a group's checkpoint from where it was last seen to the last event of `batch`.
 * @throws {Fenced} when the checkpoint was moved meanwhile, or belongs to another epoch
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
     set commit_position = ?,
         prepare_position = ?,
         last_event_id = ?,
         events = events + ?
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
      from.position === null ? null : String(from.position.commit),
      from.position === null ? null : String(from.position.prepare),
    ],
  );
  if (rowCount !== 1) throw new Fenced(`The checkpoint of group ${from.group} was moved by another runner.`);
}

/** Removes the checkpoints of all groups: each starts again at the beginning of the log. */
export async function deleteCheckpoints(trx: Knex.Transaction): Promise<void> {
  await trx.raw("delete from touchledger.checkpoints");
}
