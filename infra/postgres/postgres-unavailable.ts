/** Postgres cannot run here. The message says in plain words what to do about it. */
export class PostgresUnavailable extends Error {
  override readonly name = "PostgresUnavailable";
}
