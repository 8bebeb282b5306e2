/** Postgres cannot run here; the message says what to do. */
export class PostgresUnavailable extends Error {
  override readonly name = "PostgresUnavailable";
}
