import { randomUUID } from "node:crypto";
import { streamDeleted } from "./grpc-errors.ts";
import { allEvents, streamEvents } from "./pages.ts";
import { caughtUpResponse, checkpointResponse, confirmationResponse, type EventResponses } from "./read-responses.ts";
import type { Replica } from "./replicas.ts";
import type { MessageSender } from "./slow-clients.ts";

/** Which events of `$all` are sent. */
export interface EventFilter {
  readonly accepts: (bytes: Buffer) => boolean;
  /** Events that a subscription scans between two checkpoints. */
  readonly checkpointInterval: number;
}

interface AllSubscription {
  /** The subscription starts after this position. */
  readonly from: number;
  readonly filter: EventFilter | null;
  readonly responseTo: EventResponses;
}

interface StreamSubscription {
  readonly name: string;
  /** The subscription starts after this revision. */
  readonly from: number;
  readonly responseTo: EventResponses;
}

/** Reads the log forwards: waits for the client after each few messages, and for the next commit at the head. */
export async function subscribeToAll(
  { storage, commits, head }: Replica,
  sender: MessageSender,
  { from, filter, responseTo }: AllSubscription,
): Promise<void> {
  sender.send(confirmationResponse(randomUUID()));
  let seen = Math.min(from, head());
  let checkpoint = seen;
  let live = false;
  while (!sender.ended) {
    for (const page of allEvents(storage, head(), { from: seen + 1, backwards: false, count: Infinity })) {
      for (const event of page) {
        if (sender.ended) return;
        const accepted = event.position > from && (!filter || filter.accepts(event.bytes));
        if (accepted && !sender.send(responseTo(event))) await sender.ready();
        seen = event.position;
        if (!filter || seen - checkpoint < filter.checkpointInterval) continue;
        checkpoint = seen;
        if (!sender.send(checkpointResponse(seen))) await sender.ready();
      }
      // A filter may skip many events: yields to other calls.
      if (filter) await new Promise((resolve) => setImmediate(resolve));
    }
    if (seen < head()) continue;
    if (!live) {
      live = true;
      // Without it, the position of a filtered subscription that matches nothing would stay behind.
      if (filter && seen > checkpoint) sender.send(checkpointResponse(seen));
      checkpoint = seen;
      sender.send(caughtUpResponse());
    }
    await untilCommit(sender, commits, null);
  }
}

/** As {@link subscribeToAll}, for one stream, which need not exist yet. Throws when it is or becomes closed. */
export async function subscribeToStream(
  { storage, commits, head }: Replica,
  sender: MessageSender,
  { name, from, responseTo }: StreamSubscription,
): Promise<void> {
  sender.send(confirmationResponse(randomUUID()));
  let seen = from;
  let live = false;
  while (!sender.ended) {
    const state = storage.stream(name, head());
    if (state) {
      for (const page of streamEvents(storage, state, { from: seen + 1, backwards: false, count: Infinity })) {
        for (const event of page) {
          if (sender.ended) return;
          if (!sender.send(responseTo(event))) await sender.ready();
        }
      }
      seen = Math.max(seen, state.lastRevision);
      if (state.tombstone !== null) throw streamDeleted(name);
      // Also when it was closed while events were sent: no commit to the stream would wake this.
      const now = storage.stream(name, head());
      if (now !== null && (now.lastRevision > seen || now.tombstone !== null)) continue;
    }
    if (!live) {
      live = true;
      sender.send(caughtUpResponse());
    }
    await untilCommit(sender, commits, name);
  }
}

async function untilCommit(sender: MessageSender, commits: Replica["commits"], stream: string | null): Promise<void> {
  let cancel = () => {};
  await sender.pause((wake) => {
    cancel = commits.once(stream, wake);
  });
  cancel();
}
