/** Runs at most a number of calls at the same time; further ones wait in order. */
export interface ConcurrencyLimit {
  /** Whether a further call would wait. */
  isReached(): boolean;
  /** Number of calls that wait. */
  waiting(): number;
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    isReached: () => running >= max,
    waiting: () => waiting.length,
    run: async (work) => {
      if (running < max) running += 1;
      // The call that ends leaves its place to this one.
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}

/**
 * Calls `work` for every item, with at most `max` calls at the same time. After a failure no further call is started,
 * the running ones are awaited, and the first failure is thrown.
 */
export async function forEachConcurrently<Item>(
  max: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      if (failures.length > 0) return;
      try {
        await work(item);
      } catch (failure) {
        failures.push(failure);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
