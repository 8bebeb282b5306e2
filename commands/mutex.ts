/** Runs functions with equal keys one after the other, in the order of the calls; a failed one does not affect the next. */
export type KeyedMutex = <Result>(key: string, run: () => Promise<Result>) => Promise<Result>;

/** When so many functions of one key wait, further ones run beside the others at once. */
const maxWaiting = 1_000;

/** The functions of one key. */
interface Queue {
  running: number;
  /** Each starts one that waits. */
  readonly waiting: (() => void)[];
  /** Set while any waits. */
  stall: NodeJS.Timeout | null;
}

/** @param maxStallMs when no function of a key ends for this long, all that wait run beside it; by default they wait */
export function createKeyedMutex(maxStallMs?: number): KeyedMutex {
  const queues = new Map<string, Queue>();

  const start = (queue: Queue, count: number): void => {
    for (const begin of queue.waiting.splice(0, count)) {
      queue.running += 1;
      begin();
    }
    watchForStall(queue);
  };
  const watchForStall = (queue: Queue): void => {
    if (maxStallMs === undefined) return;
    if (queue.stall !== null) clearTimeout(queue.stall);
    const startAll = (): void => start(queue, queue.waiting.length);
    queue.stall = queue.waiting.length === 0 ? null : setTimeout(startAll, maxStallMs);
  };

  return async (key, run) => {
    const queue = queues.get(key) ?? { running: 0, waiting: [], stall: null };
    queues.set(key, queue);
    if (queue.running === 0 || queue.waiting.length === maxWaiting) queue.running += 1;
    else {
      await new Promise<void>((resolve) => {
        queue.waiting.push(resolve);
        if (queue.stall === null) watchForStall(queue);
      });
    }
    try {
      return await run();
    } finally {
      queue.running -= 1;
      start(queue, queue.running === 0 ? 1 : 0);
      if (queue.running === 0) queues.delete(key);
    }
  };
}
