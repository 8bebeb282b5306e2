import { randomUUID } from "node:crypto";
import type { PacedWrites } from "./back-pressure.ts";
import type { CommitSignal } from "./commit-signal.ts";
import type { EventFilter } from "./event-filter.ts";
import { allEvents, streamEvents } from "./pages.ts";
import { caughtUpResponse, checkpointResponse, confirmationResponse, eventResponse } from "./responses.ts";
import { streamDeleted } from "./statuses.ts";
import type { Storage } from "./storage.ts";

/** Everything that a read needs to know of the store. */
export interface Readable {
  readonly storage: Storage;
  readonly commits: CommitSignal;
}

interface AllSubscription {
  /** The subscription starts after this position. */
  readonly from: number;
  readonly filter: EventFilter | null;
  readonly textIds: boolean;
}

interface StreamSubscription {
  readonly name: string;
  /** The subscription starts after this revision. */
  readonly from: number;
  readonly textIds: boolean;
}

/** A cursor over the log: it reads on when the client has taken what was sent, and when a commit wakes it. */
export async function subscribeToAll(
  { storage, commits }: Readable,
  writes: PacedWrites,
  { from, filter, textIds }: AllSubscription,
): Promise<void> {
  writes.send(confirmationResponse(randomUUID()));
  let seen = Math.min(from, storage.head);
  let checkpoint = seen;
  let live = false;
  while (!writes.ended) {
    for (const page of allEvents(storage, { from: seen + 1, backwards: false, count: Infinity })) {
      for (const event of page) {
        if (writes.ended) return;
        const accepted = event.position > from && (!filter || filter.accepts(event.bytes));
        if (accepted && !writes.send(eventResponse(event, textIds))) await writes.ready();
        seen = event.position;
        if (!filter || seen - checkpoint < filter.checkpointInterval) continue;
        checkpoint = seen;
        if (!writes.send(checkpointResponse(seen))) await writes.ready();
      }
    }
    if (seen < storage.head) continue;
    if (!live) {
      live = true;
      // Without it, the place of a filtered subscription that finds nothing would stay behind.
      if (filter && seen > checkpoint) writes.send(checkpointResponse(seen));
      checkpoint = seen;
      writes.send(caughtUpResponse());
    }
    await untilCommit(writes, commits, null);
  }
}

/** As {@link subscribeToAll}, for one stream, which need not exist yet. Ends with an error when it is closed. */
export async function subscribeToStream(
  { storage, commits }: Readable,
  writes: PacedWrites,
  { name, from, textIds }: StreamSubscription,
): Promise<void> {
  writes.send(confirmationResponse(randomUUID()));
  let seen = from;
  let live = false;
  while (!writes.ended) {
    const state = storage.stream(name);
    if (state) {
      for (const page of streamEvents(storage, state, { from: seen + 1, backwards: false, count: Infinity })) {
        for (const event of page) {
          if (writes.ended) return;
          if (!writes.send(eventResponse(event, textIds))) await writes.ready();
          seen += 1;
        }
      }
      if (state.tombstone !== null) throw streamDeleted(name);
      if (seen < (storage.stream(name)?.lastRevision ?? -1)) continue;
    }
    if (!live) {
      live = true;
      writes.send(caughtUpResponse());
    }
    await untilCommit(writes, commits, name);
  }
}

async function untilCommit(writes: PacedWrites, commits: Readable["commits"], stream: string | null): Promise<void> {
  let forget = () => {};
  await writes.pause((wake) => {
    forget = commits.once(stream, wake);
  });
  forget();
}
