import { setTimeout as delay } from "node:timers/promises";

/** Waits, at most until `signal` aborts; never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Resolves once `signal` has aborted. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Whether `work` resolves within `ms` milliseconds; false when it rejects. */
export async function succeedsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const settled = new AbortController();
  const succeeded = work
    .then(
      () => true,
      () => false,
    )
    .finally(() => settled.abort());
  return Promise.race([succeeded, pause(ms, settled.signal).then(() => (settled.signal.aborted ? succeeded : false))]);
}
