/** Classes of SQLSTATE for which the database, not the statement, is at fault; 57014, a statement timeout, is in 57. */
const unavailableStates = /^(08|53|57|58)/;
const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "ENOENT",
]);
/** Errors of pg and knex without a code; knex puts the statement before the message. */
const connectionMessages =
  /(^| - )(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired$|timeout exceeded when trying to connect|Query read timeout|Unable to acquire a connection)/;
/** SQLSTATE insufficient_privilege and read_only_sql_transaction. */
const refusedStates = ["42501", "25006"];

/** What an operator can check when Postgres does not respond. */
export const postgresAdvice = "Postgres cannot be used. Is DATABASE_URL right, and does it run?";

/** Whether Postgres could not be reached, or has ended a connection or a statement. */
export function isPostgresLost(failure: unknown): boolean {
  if (!(failure instanceof Error)) return false;
  if (failure.name === "KnexTimeoutError" || connectionMessages.test(failure.message)) return true;
  const code = codeOf(failure);
  if (code.length === 5 && unavailableStates.test(code)) return true;
  if (code === "ENOENT") return "syscall" in failure && failure.syscall === "connect";
  return networkCodes.has(code);
}

/** One line for an operator about a failure that Postgres or its address is the cause of; null: any other failure. */
export function unusablePostgres(failure: Error): string | null {
  // Knex puts the statement before the message.
  const [reason = ""] = failure.message.split(" - ").slice(-1);
  if (isPostgresLost(failure)) return `${postgresAdvice} (${reason})`;
  if (!refusedStates.includes(codeOf(failure))) return null;
  return `Postgres refuses a statement: ${reason}. The user of DATABASE_URL must own its database, and be able to write to it.`;
}

function codeOf(failure: Error): string {
  return "code" in failure && typeof failure.code === "string" ? failure.code : "";
}
