/** Wakes those who wait for new events. Nothing is queued: whoever wakes reads from the log what is new to him. */
export interface CommitSignal {
  /** Calls `wake` once after the next commit (to this stream, when one is named); the result cancels that. */
  once(stream: string | null, wake: () => void): () => void;
  /** Events of these streams have become readable. */
  committed(streams: Iterable<string>): void;
}

export function createCommitSignal(): CommitSignal {
  const waiting = new Set<{ readonly stream: string | null; readonly wake: () => void }>();
  return {
    once(stream, wake) {
      const entry = { stream, wake };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
    committed(streams) {
      const touched = new Set(streams);
      for (const entry of [...waiting]) {
        if (entry.stream !== null && !touched.has(entry.stream)) continue;
        waiting.delete(entry);
        entry.wake();
      }
    },
  };
}
