import { EventLogUnavailable } from "../../event-log/event-log.ts";
import { isPostgresLost } from "../../postgres/postgres-failures.ts";
import { TimeLimitExceeded } from "../../process/time-limit.ts";
import { type Problem, problems } from "./problem.ts";

/** The problem of a failure: 503 when a store cannot be reached, else 500. */
export function problemOfFailure(failure: unknown): Problem {
  const isUnavailable = failure instanceof EventLogUnavailable || failure instanceof TimeLimitExceeded;
  return isUnavailable || isPostgresLost(failure) ? problems.unavailable : problems.internalError;
}
