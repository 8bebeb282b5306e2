import type { Knex } from "knex";

/** Skips an event in this and every later generation of a projection. */
export async function recordSkipped(
  trx: Knex.Transaction,
  projection: string,
  eventId: string,
  commit: bigint,
  error: string,
): Promise<void> {
  await trx.raw(
    `insert into touchledger.skipped_events (projection, event_id, commit_position, error)
     values (?, ?, ?, ?)
     on conflict do nothing`,
    [projection, eventId, String(commit), error],
  );
}

/** Ids of the events that an operator has skipped in a projection. */
export async function readSkipped(db: Knex | Knex.Transaction, projection: string): Promise<ReadonlySet<string>> {
  const { rows }: { rows: readonly { readonly event_id: string }[] } = await db.raw(
    "select event_id from touchledger.skipped_events where projection = ?",
    [projection],
  );
  return new Set(rows.map(({ event_id }) => event_id));
}
