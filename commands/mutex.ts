import { within } from "../infra/process/time-limit.ts";

/** Runs functions with equal keys one after the other, in the order of the calls; a failed one does not affect the next. */
export type KeyedMutex = <Result>(key: string, run: () => Promise<Result>) => Promise<Result>;

/** @param maxWaitMs after which a function runs although one before it has not ended; without it, it waits for as long */
export function createKeyedMutex(maxWaitMs?: number): KeyedMutex {
  const lastEnds = new Map<string, Promise<void>>();
  return async (key, run) => {
    const end = lastEnds.get(key);
    const result = end === undefined ? run() : waitFor(end, maxWaitMs).then(run);
    const ended = result.then(
      () => {},
      () => {},
    );
    lastEnds.set(key, ended);
    try {
      return await result;
    } finally {
      if (lastEnds.get(key) === ended) lastEnds.delete(key);
    }
  };
}

async function waitFor(end: Promise<void>, maxWaitMs?: number): Promise<void> {
  await (maxWaitMs === undefined ? end : within(maxWaitMs, end).catch(() => {}));
}
