import { LRUCache } from "lru-cache";
import type { ProposedEvent } from "./proposed-event.ts";
import { type EncodedEvent, storedEventId, storedRevision, storedStreamName } from "./stored-event.ts";

/** As many events as EventStoreDB remembers: 8 MiB, at about 128 bytes for the key and the revision of an event. */
export const windowEvents = (8 * 1024 * 1024) / 128;

/**
 * The ids of the last events of the whole log, for appends without an expected revision. Loaded from the log at the first
 * such append, so it survives a restart; a store whose clients always name a revision pays nothing.
 */
export interface IdempotencyWindow {
  /** Revision of an event within the window; null when it is not in it. `lastEvents` reads the events of the window. */
  revisionOf(stream: string, id: string, lastEvents: () => Iterable<EncodedEvent>): number | null;
  /** Records events written to a stream. */
  add(stream: string, firstRevision: number, events: readonly ProposedEvent[]): void;
  /** Forgets everything: a commit failed, so recorded ids may not be on disk. */
  clear(): void;
}

export function createIdempotencyWindow(): IdempotencyWindow {
  let revisions: LRUCache<string, number> | null = null;
  const keyOf = (stream: string, id: string): string => `${id} ${stream}`;

  const load = (events: Iterable<EncodedEvent>): LRUCache<string, number> => {
    const known = new LRUCache<string, number>({ max: windowEvents });
    for (const { bytes } of events) {
      const revision = storedRevision(bytes);
      if (revision !== null) known.set(keyOf(storedStreamName(bytes).toString(), storedEventId(bytes)), revision);
    }
    return known;
  };

  return {
    revisionOf: (stream, id, lastEvents) => {
      revisions ??= load(lastEvents());
      // Looking an id up does not keep it longer.
      return revisions.peek(keyOf(stream, id)) ?? null;
    },
    add: (stream, firstRevision, events) => {
      for (const [index, event] of events.entries()) revisions?.set(keyOf(stream, event.id), firstRevision + index);
    },
    clear: () => {
      revisions = null;
    },
  };
}
