import { setTimeout as delay } from "node:timers/promises";

/** Wakes one waiter; a wake without a waiter is kept for the next one. */
export interface WakeSignal {
  readonly wake: () => void;
  /** Resolves at the next wake, but not within `leastMs`; after another `ms` without one; or when `over` aborts. */
  wait(ms: number, leastMs: number): Promise<void>;
  /** Resolves after `ms`, or when `over` aborts; wakes do not end it. */
  pause(ms: number): Promise<void>;
}

/** @param over ends all waiting when it aborts */
export function createWakeSignal(over: AbortSignal): WakeSignal {
  let isAwake = false;
  let waiting = new AbortController();
  const wake = (): void => {
    isAwake = true;
    waiting.abort();
  };
  const sleep = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined);
  const pause = async (ms: number): Promise<void> => {
    if (ms > 0) await sleep(ms, over);
  };
  over.addEventListener("abort", wake, { once: true });
  return {
    wake,
    wait: async (ms, leastMs) => {
      await pause(leastMs);
      waiting = new AbortController();
      if (!isAwake && !over.aborted) await sleep(ms, waiting.signal);
      isAwake = false;
    },
    pause,
  };
}
