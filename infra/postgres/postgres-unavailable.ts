/** What to do with a cluster that cannot be used. */
export const deleteCluster = "Delete that directory: everything in it is built again from the event log.";

/** Postgres cannot run here; the message says what to do. */
export class PostgresUnavailable extends Error {
  override readonly name = "PostgresUnavailable";
}
