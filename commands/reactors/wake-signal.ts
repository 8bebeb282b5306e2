import { setTimeout as delay } from "node:timers/promises";

/** Wakes one waiter; a ring that nobody waits for is kept for the next who does. */
export interface Bell {
  readonly ring: () => void;
  /** Resolves at the next ring, after `ms` without one, or when `over` aborts. */
  rung(ms: number): Promise<void>;
  /** Resolves after `ms`, or when `over` aborts, whatever rings. */
  silence(ms: number): Promise<void>;
}

export function createBell(over: AbortSignal): Bell {
  let isRung = false;
  let wake = new AbortController();
  const ring = (): void => {
    isRung = true;
    wake.abort();
  };
  const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined);
  over.addEventListener("abort", ring, { once: true });
  return {
    ring,
    rung: async (ms) => {
      wake = new AbortController();
      if (!isRung && !over.aborted) await pause(ms, wake.signal);
      isRung = false;
    },
    silence: (ms) => pause(ms, over),
  };
}
