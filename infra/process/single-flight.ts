/**
 * Coalesces concurrent calls: calls during a run share the next one. Each call gets a run that starts after it, so that
 * it sees everything written before.
 */
export function singleFlight<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | null = null;
  let waiting: Promise<Result> | null = null;
  const start = (): Promise<Result> => {
    waiting = null;
    running = run().finally(() => {
      running = null;
    });
    return running;
  };
  return () => {
    if (waiting !== null) return waiting;
    if (running === null) return start();
    waiting = running.then(start, start);
    return waiting;
  };
}
