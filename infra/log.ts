import { destination, type Logger, pino } from "pino";
import type { LogLevel } from "./config.ts";

export type Log = Logger;

/** JSON lines on standard error: standard output belongs to what a person asked a command for. */
export function openLog(level: LogLevel): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: ["req.headers.authorization"] },
    destination({ dest: 2, sync: false }),
  );
}

/** A log that keeps nothing, for tests and for commands that only look. */
export function silentLog(): Log {
  return pino({ level: "silent" });
}
