import { EventLogUnavailable } from "../../event-log/event-log.ts";
import { TimeLimitExceeded } from "../../process/time-limit.ts";
import { type Problem, problems } from "./problem.ts";

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

/** The problem of a failure: 503 when a store cannot be reached, else 500. */
export function problemOfFailure(failure: unknown): Problem {
  return isUnavailable(failure) ? problems.unavailable : problems.internalError;
}

function isUnavailable(failure: unknown): boolean {
  if (failure instanceof EventLogUnavailable || failure instanceof TimeLimitExceeded) return true;
  if (!(failure instanceof Error)) return false;
  if (failure.name === "KnexTimeoutError" || connectionMessages.test(failure.message)) return true;
  const code = "code" in failure && typeof failure.code === "string" ? failure.code : "";
  if (code.length === 5 && unavailableStates.test(code)) return true;
  if (code === "ENOENT") return "syscall" in failure && failure.syscall === "connect";
  return networkCodes.has(code);
}
