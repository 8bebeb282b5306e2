/** Wakes those who wait for new events. Nothing is queued: whoever wakes reads from the log what is new to him. */
export class CommitSignal {
  private readonly waiting = new Set<{ readonly stream: string | null; readonly wake: () => void }>();

  /** Calls `wake` once after the next commit (to this stream, when one is named); the result cancels that. */
  once(stream: string | null, wake: () => void): () => void {
    const entry = { stream, wake };
    this.waiting.add(entry);
    return () => this.waiting.delete(entry);
  }

  /** Events of these streams have become readable. */
  committed(streams: Iterable<string>): void {
    const touched = new Set(streams);
    for (const entry of this.waiting) {
      if (entry.stream !== null && !touched.has(entry.stream)) continue;
      this.waiting.delete(entry);
      entry.wake();
    }
  }
}
