/** What to do with a cluster that cannot be used. */
export const deleteCluster =
  "Delete that directory: it is built again from the event log, except deliveries that wait, SQL roles, and skips of parked events.";

/** Postgres cannot run here; the message says what to do. */
export class PostgresUnavailable extends Error {
  override readonly name = "PostgresUnavailable";
}
