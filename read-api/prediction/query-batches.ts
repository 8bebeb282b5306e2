/** The maximum of waiting queries is reached. */
export class TooManyWaiting extends Error {
  override readonly name = "TooManyWaiting";
}

export interface BatchLimits {
  /** Maximum queries of one batch. */
  readonly maxBatch: number;
  /** Maximum queries that wait for a batch. */
  readonly maxWaiting: number;
  /** Maximum concurrent batches. */
  readonly maxInFlight: number;
  /** Minimum milliseconds between the starts of two batches (docs/decisions/012). */
  readonly minIntervalMs: number;
}

interface Waiting<Query, Result> {
  readonly query: Query;
  resolve(result: Result): void;
  reject(failure: unknown): void;
}

/**
 * Runs single queries in batches: queries that arrive soon after a batch started, or while the maximum of batches is in
 * flight, wait for the next one. A failed batch rejects for all of its queries.
 * @throws {TooManyWaiting}
 */
export function batched<Query, Result>(
  run: (queries: readonly Query[]) => Promise<readonly Result[]>,
  { maxBatch, maxWaiting, maxInFlight, minIntervalMs }: BatchLimits,
): (query: Query) => Promise<Result> {
  let waiting: Waiting<Query, Result>[] = [];
  let inFlight = 0;
  let isStarting = false;
  let startedAt = Number.NEGATIVE_INFINITY;

  const runWaiting = async (): Promise<void> => {
    const batch = waiting.slice(0, maxBatch);
    waiting = waiting.slice(maxBatch);
    inFlight += 1;
    startedAt = performance.now();
    if (waiting.length > 0) startSoon();
    try {
      const results = await run(batch.map(({ query }) => query));
      for (const [index, { resolve, reject }] of batch.entries()) {
        if (index < results.length) resolve(results[index] as Result);
        else reject(new Error("A query of a batch has no result"));
      }
    } catch (failure) {
      for (const { reject } of batch) reject(failure);
    }
    inFlight -= 1;
    if (waiting.length > 0) startSoon();
  };

  /** Starts a batch as soon as the limits allow, but not within this turn of the event loop, whose queries share it. */
  const startSoon = (): void => {
    if (isStarting || inFlight >= maxInFlight) return;
    isStarting = true;
    const start = (): void => {
      const left = startedAt + minIntervalMs - performance.now();
      // A timer may fire early by this clock.
      if (left > 0) {
        setTimeout(start, left);
        return;
      }
      isStarting = false;
      void runWaiting();
    };
    setImmediate(start);
  };

  return (query) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) {
        reject(new TooManyWaiting(`${maxWaiting} queries are waiting`));
        return;
      }
      waiting.push({ query, resolve, reject });
      startSoon();
    });
}
