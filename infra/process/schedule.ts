import { type Logger as CronLogger, schedule } from "node-cron";
import type { Log } from "./log.ts";

/** Calls `listener` by a cron expression; returns a function that ends it. Failures of `listener` are logged. */
export type Schedule = (expression: string, listener: () => void) => () => void;

export function createSchedule(log: Log): Schedule {
  const logger = cronLogger(log);
  return (expression, listener) => {
    const scheduled = schedule(expression, listener, { logger });
    return () => void scheduled.destroy();
  };
}

/** Without it, node-cron writes plain text. */
function cronLogger(log: Log): CronLogger {
  return {
    info: (message) => log.info(message),
    warn: (message) => log.warn(message),
    error: (message, failure) => log.error({ err: failure ?? message }, String(message)),
    debug: (message) => log.debug(String(message)),
  };
}
