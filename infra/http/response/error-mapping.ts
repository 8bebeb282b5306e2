import { EventLogUnavailable } from "../../event-log/event-log.ts";
import { TimeLimitExceeded } from "../request/time-limit.ts";
import { type Problem, problems } from "./problem.ts";

/**
 * Classes of SQLSTATE that say that the database, not the statement, is at fault: connection, resources, operator's
 * intervention, system error. 57014, a statement's time-out, is among them.
 */
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
/** pg and knex throw these without a code; knex writes the statement in front of them. */
const connectionMessages =
  /(^| - )(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired$|timeout exceeded when trying to connect|Query read timeout|Unable to acquire a connection)/;

/** What a failure is answered with: 503 when a store cannot be reached, else 500 with no word of the failure. */
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
