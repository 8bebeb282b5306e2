import type { Knex } from "knex";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { GroupName, Projection, SchemaName } from "../../projection.ts";
import { isCurrent } from "../generations/generations.ts";

/** An event that a generation could not apply, or that is parked behind one in its stream. */
export interface ParkedEvent {
  readonly projection: string;
  readonly group: GroupName;
  readonly schema: SchemaName;
  readonly position: { readonly commit: bigint; readonly prepare: bigint };
  readonly eventId: string;
  readonly stream: string;
  readonly type: string;
  readonly parkBy: Projection["parkBy"];
  readonly error: string;
  readonly parkedAt: Date;
}

type ParkedRow = Omit<ParkedEvent, "position"> & ParkedEvent["position"];

/**
 * The parked events of live generations, and of those that a new version has yet to replace, oldest first; of one projection
 * when named.
 */
export async function readParked(db: Knex | Knex.Transaction, projection?: string): Promise<readonly ParkedEvent[]> {
  const { rows }: { rows: readonly ParkedRow[] } = await db.raw(
    `select parked.projection, parked.group_name as "group", parked.schema_name as schema,
            parked.commit_position as commit, parked.prepare_position as prepare, parked.event_id as "eventId",
            parked.stream, parked.event_type as type, parked.park_by as "parkBy", parked.error,
            parked.parked_at as "parkedAt"
     from touchledger.parked_events as parked
     join touchledger.generations using (schema_name)
     where ${isCurrent} and coalesce(parked.projection = ?::text, true)
     order by parked.commit_position, parked.projection`,
    [projection ?? null],
  );
  return rows.map(({ commit, prepare, ...row }) => ({ ...row, position: { commit, prepare } }));
}

/** An event that a read model lacks: parked in the live generation, or skipped by an operator. */
export interface LeftOutEvent {
  readonly projection: string;
  readonly position: bigint;
  readonly eventId: string;
  readonly reason: "parked" | "skipped";
  readonly error: string;
}

/** The events that the live generations of projections lack, oldest first. */
export async function readLeftOut(
  db: Knex | Knex.Transaction,
  projections: readonly Projection[],
): Promise<readonly LeftOutEvent[]> {
  const { rows }: { rows: readonly LeftOutEvent[] } = await db.raw(
    `with left_out as (
       select parked.projection, parked.commit_position as position, parked.event_id, 'parked' as reason, parked.error
       from touchledger.parked_events as parked
       join touchledger.generations using (schema_name)
       where state = 'live'
       union all
       select projection, commit_position, event_id, 'skipped', error
       from touchledger.skipped_events
     )
     select projection, position, event_id as "eventId", reason, error
     from left_out
     where projection = any(?::text[])
     order by position, projection`,
    [projections.map(({ name }) => name)],
  );
  return rows;
}

/** Parks an event in one generation. */
export async function park(
  trx: Knex.Transaction,
  projection: Projection,
  schema: SchemaName,
  event: RecordedEvent,
  error: string,
): Promise<void> {
  await trx.raw(
    `insert into touchledger.parked_events
       (schema_name, commit_position, prepare_position, projection, group_name, event_id, stream, event_type, park_by, error)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (schema_name, commit_position) do update
     set error = excluded.error`,
    [
      schema,
      String(event.position.commit),
      String(event.position.prepare),
      projection.name,
      projection.group,
      event.id,
      event.stream,
      event.type,
      projection.parkBy,
      // Postgres text cannot contain U+0000.
      error.replaceAll("\u0000", "\\u0000"),
    ],
  );
}

/** Removes a parked event that has been applied or is skipped from now on. */
export async function unpark(trx: Knex.Transaction, schema: SchemaName, commit: bigint): Promise<void> {
  await trx.raw("delete from touchledger.parked_events where schema_name = ? and commit_position = ?", [
    schema,
    String(commit),
  ]);
}
