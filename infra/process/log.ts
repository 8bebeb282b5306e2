import { destination, type Logger, pino } from "pino";
import type { LogLevel } from "../config/config.ts";

export type Log = Logger;

/** Tokens, and the values of statements that knex attaches to a failure to get a connection: identifiers are among them. */
const secretPaths = ["req.headers.authorization", "err.bindings"];

/** JSON lines on standard error: standard output belongs to what a person asked a command for. */
export function openLog(level: LogLevel): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: secretPaths },
    destination({ dest: 2, sync: false }),
  );
}

/** A log that keeps nothing, for tests and for commands that only look. */
export function silentLog(): Log {
  return pino({ level: "silent" });
}
