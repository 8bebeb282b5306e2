/**
 * Coalesces concurrent calls: calls during a run share the next one. Each call gets a run that starts after it, so that
 * it sees everything written before.
 */
export function singleFlight(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let waiting: Promise<void> | null = null;
  const start = (): Promise<void> => {
    waiting = null;
    running = run().finally(() => {
      running = null;
    });
    return running;
  };
  return () => {
    if (running === null) return start();
    waiting ??= running.then(start, start);
    return waiting;
  };
}
