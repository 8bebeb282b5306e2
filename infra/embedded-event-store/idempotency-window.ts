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
  let revisions: Map<string, number> | null = null;
  const keyOf = (stream: string, id: string): string => `${id} ${stream}`;

  const forgetOldest = (known: Map<string, number>): void => {
    for (const oldest of known.keys()) {
      if (known.size <= windowEvents) break;
      known.delete(oldest);
    }
  };
  const load = (events: Iterable<EncodedEvent>): Map<string, number> => {
    const known = new Map<string, number>();
    for (const { bytes } of events) {
      const revision = storedRevision(bytes);
      if (revision !== null) known.set(keyOf(storedStreamName(bytes).toString(), storedEventId(bytes)), revision);
    }
    forgetOldest(known);
    return known;
  };

  return {
    revisionOf: (stream, id, lastEvents) => {
      revisions ??= load(lastEvents());
      return revisions.get(keyOf(stream, id)) ?? null;
    },
    add: (stream, firstRevision, events) => {
      if (revisions === null) return;
      for (const [index, event] of events.entries()) {
        const key = keyOf(stream, event.id);
        // A repeated id moves to the end: it is forgotten with its last event.
        revisions.delete(key);
        revisions.set(key, firstRevision + index);
      }
      forgetOldest(revisions);
    },
    clear: () => {
      revisions = null;
    },
  };
}
