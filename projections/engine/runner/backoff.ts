import { setTimeout as delay } from "node:timers/promises";

/** Waits, or not when `signal` is or gets aborted; never rejects. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  } catch {
    // Aborted: there is nothing more to wait for.
  }
}

/** How long to wait before attempt `attempt` (from 1) of something that keeps failing: doubling, at most 5 s. */
export function backoffMs(attempt: number): number {
  return Math.min(5_000, 100 * 2 ** Math.min(attempt - 1, 6));
}
