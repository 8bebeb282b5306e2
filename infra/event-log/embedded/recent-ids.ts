import { LRUCache } from "lru-cache";
import type { ProposedEvent } from "./proposed-event.ts";
import type { StreamState } from "./storage.ts";

const STREAMS = 200;
const IDS_PER_STREAM = 1_000;

/**
 * The last thousand event ids of streams that are appended to without an expected revision. Loaded from the stream on
 * its first such append, so it outlives a restart; streams always appended to with a revision cost nothing.
 */
export class RecentIds {
  private readonly streams = new LRUCache<string, Map<string, number>>({ max: STREAMS });

  /** Revision of an event among the last of its stream; null when it is not there. */
  revisionOf(name: string, state: StreamState, id: string, idAt: (revision: number) => string): number | null {
    let ids = this.streams.get(name);
    if (!ids) {
      ids = new Map();
      for (
        let revision = Math.max(0, state.lastRevision + 1 - IDS_PER_STREAM);
        revision <= state.lastRevision;
        revision++
      )
        ids.set(idAt(revision), revision);
      this.streams.set(name, ids);
    }
    return ids.get(id) ?? null;
  }

  /** Notes events written to a stream. */
  add(name: string, firstRevision: number, events: readonly ProposedEvent[]): void {
    const ids = this.streams.get(name);
    if (!ids) return;
    events.forEach((event, index) => {
      ids.set(event.id, firstRevision + index);
    });
    for (const id of ids.keys()) {
      if (ids.size <= IDS_PER_STREAM) break;
      ids.delete(id);
    }
  }

  /** Forgets everything: what was noted did not reach the disk. */
  clear(): void {
    this.streams.clear();
  }
}
