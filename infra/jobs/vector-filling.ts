import type { Log } from "../process/log.ts";

/** Installs of one transaction. */
const setSize = 200;
/** How often it looks without a wake signal, as when another process projects. */
const pollEveryMs = 1_000;
const shortestBackoffMs = 100;
const longestBackoffMs = 5_000;

export interface VectorFilling {
  /** Stores the features of at most `max` installs, the oldest that have none; resolves with how many those were. */
  fill(max: number): Promise<number>;
  /** Resolves when there may be installs without features, after `ms` at the latest. */
  untilWoken(ms: number): Promise<void>;
  /** Resolves after `ms`, whatever wakes it. */
  pause(ms: number): Promise<void>;
  /** Called with how long it has known of installs that it has not filled; 0 when there is none. */
  onLag(ms: number): void;
  readonly log: Pick<Log, "warn">;
  /** A clock, in milliseconds. */
  now(): number;
}

/**
 * Stores the features of installs (contract/prediction.md#features) until `signal` aborts, the oldest first. While
 * there are many it works half of the time: no call waits for them, as missing features are computed on demand. What
 * fails is logged and tried again with a growing backoff.
 */
export async function fillInstallVectors(
  { fill, untilWoken, pause, onLag, log, now }: VectorFilling,
  signal: AbortSignal,
): Promise<void> {
  let behindSince: number | null = null;
  const fillAll = async (): Promise<void> => {
    for (let filled = setSize; filled === setSize && !signal.aborted; ) {
      const since = now();
      filled = await fill(setSize);
      if (filled === 0) break;
      behindSince ??= since;
      onLag(now() - behindSince);
      if (filled === setSize) await pause(now() - since);
    }
  };
  for (let failures = 0; !signal.aborted; ) {
    try {
      await fillAll();
      if (signal.aborted) return;
      failures = 0;
      behindSince = null;
      onLag(0);
      await untilWoken(pollEveryMs);
    } catch (failure) {
      log.warn({ err: failure }, "features of installs could not be stored; trying again");
      failures += 1;
      behindSince ??= now();
      onLag(now() - behindSince);
      await pause(Math.min(longestBackoffMs, shortestBackoffMs * 2 ** (failures - 1)));
    }
  }
}
