import type { Log } from "./log.ts";

/** Installs of one transaction. */
const setSize = 200;
/** It looks so often when nobody rings, as when another process projects. */
const lookEveryMs = 1_000;
const shortestBackoffMs = 100;
const longestBackoffMs = 5_000;

export interface VectorFilling {
  /** Stores the features of so many installs at most, the oldest that have none; answers how many those were. */
  fill(max: number): Promise<number>;
  /** Rings when there may be installs without features. */
  readonly bell: {
    /** Resolves at the next ring, or after `ms` without one. */
    rung(ms: number): Promise<void>;
    silence(ms: number): Promise<void>;
  };
  /** Told for how long it has known of installs that it has not filled; 0 when there is none. */
  lag(ms: number): void;
  readonly log: Pick<Log, "warn">;
  /** A clock, in milliseconds. */
  now(): number;
}

/**
 * Stores the features of installs (D11.5) until `signal` aborts, the oldest first. While there are many it works half of
 * the time: nobody waits for them, as what is missing is computed when it is asked for. What fails is logged and tried
 * again, ever more slowly.
 */
export async function fillInstallVectors(
  { fill, bell, lag, log, now }: VectorFilling,
  signal: AbortSignal,
): Promise<void> {
  let behindSince: number | null = null;
  const fillAll = async (): Promise<void> => {
    for (let filled = setSize; filled === setSize && !signal.aborted; ) {
      const since = now();
      filled = await fill(setSize);
      if (filled === 0) break;
      behindSince ??= since;
      lag(now() - behindSince);
      if (filled === setSize) await bell.silence(now() - since);
    }
  };
  for (let failures = 0; !signal.aborted; ) {
    try {
      await fillAll();
      if (signal.aborted) return;
      failures = 0;
      behindSince = null;
      lag(0);
      await bell.rung(lookEveryMs);
    } catch (failure) {
      log.warn({ err: failure }, "features of installs could not be stored; trying again");
      failures += 1;
      behindSince ??= now();
      lag(now() - behindSince);
      await bell.silence(Math.min(longestBackoffMs, shortestBackoffMs * 2 ** (failures - 1)));
    }
  }
}
