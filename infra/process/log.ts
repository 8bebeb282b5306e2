import { type Logger, pino } from "pino";
import type { LogLevel } from "../config/config.ts";
import { openLogDestination } from "./log-destination.ts";

export type Log = Logger;

/** Tokens, and the values of statements and rows, which knex and Postgres attach to errors and which contain identifiers. */
const secretPaths = ["req.headers.authorization", "err.bindings", "err.detail", "err.where"];

/** Maximum bytes of lines that wait in memory while others are being written to standard error. */
const maxWaitingBytes = 1024 * 1024;

/**
 * Logs JSON lines to standard error; standard output is for the results of commands. The process runs on while its log cannot
 * be written.
 */
export function openLogger(level: LogLevel): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: secretPaths },
    openLogDestination(2, maxWaitingBytes),
  );
}
