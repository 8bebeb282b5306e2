/** Postgres cannot run here. The message says what to do. */
export class PostgresUnavailable extends Error {
  override readonly name = "PostgresUnavailable";
}
