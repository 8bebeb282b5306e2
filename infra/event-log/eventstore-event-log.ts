import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { decodeContent, encodeContent, type StoredContent } from "./codec.ts";
import type { EventLog } from "./event-log.ts";
import { NothingAtPosition } from "./eventstore-connection.ts";
import { subscribeToLog } from "./log-subscription.ts";
import { readAllRequest, readStreamBackwardsRequest, readStreamRequest } from "./read-requests.ts";
import { createStoredLog, type StoredLogOptions, samePosition } from "./stored-log.ts";

/** How long an append or a read of a running application may take; then the request fails with 503. */
export const usualDeadlineMs = 2_500;

interface EventLogOptions extends StoredLogOptions {
  /** Called when a subscription has lost its connection, before it reconnects. */
  readonly onTrouble?: (error: Error) => void;
}

/** The event log on an EventStoreDB, a KurrentDB or the embedded event store. One per process. */
export function createEventLog(options: EventLogOptions): EventLog {
  const { onTrouble = () => {} } = options;
  const stored = createStoredLog(options);
  const { connection, names, headPosition } = stored;
  const nameOf = (stream: string): string => names.prefix + stream;

  return {
    append: async (stream, expected, events) => stored.append(stream, expected, events.map(encodeContent)),
    // What a stream contains follows from its name: no type check could say more.
    read: (stream, fromRevision = 0n) =>
      decoded(stored.events(readStreamRequest(nameOf(stream), fromRevision))) as AsyncIterable<RecordedEvent<never>>,
    readBackwards: (stream, max) =>
      collected(decoded(stored.events(readStreamBackwardsRequest(nameOf(stream), max)))) as Promise<
        readonly RecordedEvent<never>[]
      >,
    readAll: (from, max) => decoded(stored.readAll(from), max),
    async eventAt(position) {
      try {
        for await (const event of stored.events(readAllRequest(position, 1)))
          if (samePosition(event.position, position)) return decodeContent(event);
      } catch (error) {
        if (!(error instanceof NothingAtPosition)) throw error;
      }
      return null;
    },
    headPosition,
    subscribe: (subscribeOptions) => subscribeToLog({ connection, names, headPosition, onTrouble }, subscribeOptions),
    close: stored.close,
  };
}

async function* decoded(
  events: AsyncIterable<StoredContent>,
  max = Number.POSITIVE_INFINITY,
): AsyncGenerator<RecordedEvent> {
  let left = max;
  if (left <= 0) return;
  for await (const event of events) {
    yield decodeContent(event);
    left -= 1;
    if (left === 0) return;
  }
}

async function collected<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
