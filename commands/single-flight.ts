/**
 * Makes one run serve everybody who asks while it waits its turn. Whoever asks gets a run that starts after the
 * question, so that it sees everything written before.
 */
export function coalesced(run: () => Promise<void>): () => Promise<void> {
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
