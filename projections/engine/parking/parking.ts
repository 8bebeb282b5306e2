import type { Knex } from "knex";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { GroupName, Projection, SchemaName } from "../../projection.ts";

/** An event that a projection has set aside. */
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

interface ParkedRow {
  readonly projection: string;
  readonly group_name: GroupName;
  readonly schema_name: string;
  readonly commit_position: bigint | string;
  readonly prepare_position: bigint | string;
  readonly event_id: string;
  readonly stream: string;
  readonly event_type: string;
  readonly park_by: Projection["parkBy"];
  readonly error: string;
  readonly parked_at: Date;
}

/** Everything set aside by live generations, oldest first; of one projection when named. */
export async function readParked(db: Knex | Knex.Transaction, projection?: string): Promise<readonly ParkedEvent[]> {
  const { rows }: { rows: readonly ParkedRow[] } = await db.raw(
    `select parked.* from touchledger.parked_events parked
       join touchledger.generations using (schema_name)
      where state = 'live' and coalesce(parked.projection = ?::text, true)
      order by commit_position, parked.projection`,
    [projection ?? null],
  );
  return rows.map((row) => ({
    projection: row.projection,
    group: row.group_name,
    schema: row.schema_name,
    position: { commit: BigInt(row.commit_position), prepare: BigInt(row.prepare_position) },
    eventId: row.event_id,
    stream: row.stream,
    type: row.event_type,
    parkBy: row.park_by,
    error: row.error,
    parkedAt: row.parked_at,
  }));
}

/** Sets an event aside in one generation. */
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
     on conflict (schema_name, commit_position) do update set error = excluded.error`,
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
      // Postgres text holds no U+0000.
      error.replaceAll("\u0000", "\\u0000"),
    ],
  );
}

/** An event that was set aside has been applied, or is left out for good. */
export async function unpark(trx: Knex.Transaction, schema: SchemaName, commit: bigint): Promise<void> {
  await trx.raw("delete from touchledger.parked_events where schema_name = ? and commit_position = ?", [
    schema,
    String(commit),
  ]);
}

/** Leaves an event out of a projection for good, of every generation to come as well. */
export async function skipEvent(trx: Knex.Transaction, parked: ParkedEvent): Promise<void> {
  await trx.raw(
    `insert into touchledger.skipped_events (projection, event_id, commit_position, error)
     values (?, ?, ?, ?) on conflict do nothing`,
    [parked.projection, parked.eventId, String(parked.position.commit), parked.error],
  );
  await unpark(trx, parked.schema, parked.position.commit);
}

/** Ids of the events that an operator has left out of a projection. */
export async function readSkipped(db: Knex | Knex.Transaction, projection: string): Promise<ReadonlySet<string>> {
  const { rows }: { rows: readonly { readonly event_id: string }[] } = await db.raw(
    "select event_id from touchledger.skipped_events where projection = ?",
    [projection],
  );
  return new Set(rows.map(({ event_id }) => event_id));
}
