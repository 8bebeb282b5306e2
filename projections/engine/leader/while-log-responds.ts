import { pause, succeedsWithin } from "../../waiting.ts";
import type { LogReader } from "../runner/log-reader.ts";
import type { Leadership } from "./leader-election.ts";

type Log = Pick<LogReader, "headPosition">;

const checkEveryMs = 2_000;
/** As long as Postgres may be silent before a leader loses its roles. */
const defaultTimeoutMs = 15_000;

/**
 * The work of a leader that needs the event log, for `runAsLeader`. It rejects at once while the log does not respond to
 * this process, and its signal aborts when the log has not responded for `timeoutMs`: another process may reach it.
 */
export function whileLogResponds(
  log: Log,
  work: (held: Leadership) => Promise<void>,
  timeoutMs = defaultTimeoutMs,
): (held: Leadership) => Promise<void> {
  return async ({ epoch, signal }) => {
    await log.headPosition();
    const silent = new AbortController();
    const over = AbortSignal.any([signal, silent.signal]);
    const ended = new AbortController();
    void watchLog(log, Math.min(checkEveryMs, timeoutMs), timeoutMs, ended.signal).then((isSilent) => {
      if (isSilent) silent.abort();
    });
    try {
      await work({ epoch, signal: over });
    } finally {
      ended.abort();
    }
    if (silent.signal.aborted) throw new Error(`The event store has not responded for ${timeoutMs / 1000} s.`);
  };
}

/** Resolves with true when the log has not responded for `timeoutMs`, with false when `ended` aborts. */
async function watchLog(log: Log, everyMs: number, timeoutMs: number, ended: AbortSignal): Promise<boolean> {
  let respondedAt = performance.now();
  while (!ended.aborted) {
    await pause(everyMs, ended);
    if (ended.aborted) return false;
    if (await succeedsWithin(timeoutMs, log.headPosition())) respondedAt = performance.now();
    else if (performance.now() - respondedAt >= timeoutMs) return true;
  }
  return false;
}
