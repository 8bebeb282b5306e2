import type { Log } from "./log.ts";

/** Logs Node's warnings and uncaught exceptions, which Node would print as text, before these end the process. */
export function logProcessFailures(log: Log): void {
  process.removeAllListeners("warning");
  process.on("warning", (warning) => log.warn({ err: warning }, "warning of Node"));
  process.on("uncaughtException", (failure) => {
    log.fatal({ err: failure }, "uncaught failure");
    process.exit(1);
  });
}
