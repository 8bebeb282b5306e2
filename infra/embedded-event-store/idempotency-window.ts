import { LRUCache } from "lru-cache";
import type { ProposedEvent } from "./proposed-event.ts";

const STREAMS = 200;
const IDS_PER_STREAM = 1_000;

/**
 * The last thousand event ids of each stream that is appended to without an expected revision. Loaded from the stream on
 * its first such append, so it survives a restart; streams always appended to with a revision cost nothing.
 */
export interface IdempotencyWindow {
  /** Revision of an event within the window; null when it is not in it. `idAt` reads the stream. */
  revisionOf(stream: string, lastRevision: number, id: string, idAt: (revision: number) => string): number | null;
  /** Records events written to a stream. */
  add(stream: string, firstRevision: number, events: readonly ProposedEvent[]): void;
  /** Forgets everything: a commit failed, so recorded ids may not be on disk. */
  clear(): void;
}

export function createIdempotencyWindow(): IdempotencyWindow {
  const streams = new LRUCache<string, Map<string, number>>({ max: STREAMS });
  return {
    revisionOf(stream, lastRevision, id, idAt) {
      let ids = streams.get(stream);
      if (!ids) {
        ids = new Map();
        const first = Math.max(0, lastRevision + 1 - IDS_PER_STREAM);
        for (let revision = first; revision <= lastRevision; revision++) ids.set(idAt(revision), revision);
        streams.set(stream, ids);
      }
      return ids.get(id) ?? null;
    },
    add(stream, firstRevision, events) {
      const ids = streams.get(stream);
      if (!ids) return;
      for (const [index, event] of events.entries()) ids.set(event.id, firstRevision + index);
      for (const oldest of ids.keys()) {
        if (ids.size <= IDS_PER_STREAM) break;
        ids.delete(oldest);
      }
    },
    clear: () => streams.clear(),
  };
}
