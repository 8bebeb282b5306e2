/** Postgres cannot run here; the message tells what to do. */
export class PostgresUnavailable extends Error {
  override readonly name = "PostgresUnavailable";
}
