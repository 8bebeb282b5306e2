import { setTimeout as delay } from "node:timers/promises";
import type { LogPosition } from "../../domain/event.ts";
import { singleFlight } from "../process/single-flight.ts";
import { createAppends } from "./append-call.ts";
import { appendRequest } from "./append-request.ts";
import type { EncodedEvent, StoredContent } from "./codec.ts";
import type { Appended, ExpectedRevision, WrongExpectedRevision } from "./event-log.ts";
import { type ConnectionOptions, EventStoreConnection, NotLeader } from "./eventstore-connection.ts";
import { messageBatches } from "./read-messages.ts";
import { readAllBackwardsRequest, readAllRequest } from "./read-requests.ts";
import { allStreams, type StreamNames } from "./stream-names.ts";

export interface StoredLogOptions extends ConnectionOptions {
  /** Which streams of the store are ours, and their names there (default: all). Other streams are never returned. */
  readonly names?: StreamNames;
}

/** The log with its events as they are stored, to read and append them unchanged. Rejects as `EventLog` does. */
export interface StoredLog {
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EncodedEvent[],
  ): Promise<Appended | WrongExpectedRevision>;
  /** The whole log after `from`, oldest first. */
  readAll(from: LogPosition | "start"): AsyncIterable<StoredContent>;
  headPosition(): Promise<LogPosition | null>;
  close(): Promise<void>;
}

/** A stored log, and what `EventLog` needs in addition. */
export interface ConnectedLog extends StoredLog {
  readonly connection: EventStoreConnection;
  readonly names: StreamNames;
  events(request: ReadRequest): AsyncIterable<StoredContent>;
}

type ReadRequest = Parameters<EventStoreConnection["read"]>[0];

/** Pause before a read is retried whose node was not the leader. */
const leaderRetryMs = 50;

/** The stored log on an EventStoreDB, a KurrentDB or the embedded event store. */
export function createStoredLog(options: StoredLogOptions): ConnectedLog {
  const connection = new EventStoreConnection(options);
  const appends = createAppends(connection);
  const { names = allStreams } = options;
  /** The head that the last search found, and the position where that search began. */
  let searched: { readonly from: bigint; readonly head: LogPosition | null } | null = null;

  async function* batches(request: ReadRequest) {
    const deadline = performance.now() + connection.deadlineMs;
    for (let hasBegun = false; ; ) {
      try {
        const call = await connection.read(request, "leader");
        for await (const batch of messageBatches(call, connection, names)) {
          hasBegun = true;
          yield batch;
        }
        return;
      } catch (error) {
        if (hasBegun || !(error instanceof NotLeader) || performance.now() > deadline) throw error;
        await delay(leaderRetryMs);
      }
    }
  }

  async function* events(request: ReadRequest): AsyncGenerator<StoredContent> {
    for await (const batch of batches(request)) for (const message of batch) if (message?.event) yield message.event;
  }

  /** Searches backwards, and not beyond where the last search began: other applications may append most events. */
  async function searchHead(): Promise<LogPosition | null> {
    const known = searched;
    let from: bigint | null = null;
    for await (const batch of batches(readAllBackwardsRequest())) {
      for (const message of batch) {
        if (message === null) continue;
        from ??= message.position.commit;
        // A log that has become shorter is another log.
        const isKnown = known !== null && known.from <= from && message.position.commit <= known.from;
        if (message.event === null && !isKnown) continue;
        const head = message.event === null ? (known?.head ?? null) : message.position;
        searched = { from, head };
        return head;
      }
    }
    if (from !== null) searched = { from, head: null };
    return null;
  }

  async function* readAll(from: LogPosition | "start"): AsyncGenerator<StoredContent> {
    for await (const event of events(readAllRequest(from, null)))
      if (from === "start" || !samePosition(event.position, from)) yield event;
  }

  return {
    connection,
    names,
    events,
    append: async (stream, expected, toAppend) =>
      appends.send(appendRequest(names.prefix + stream, expected, toAppend, connection.deadlineMs)),
    readAll,
    // A start calls this a dozen times at once. An idle server responded 2 to 4 s late to so many reads, and to later
    // ones.
    headPosition: singleFlight(searchHead),
    close: async () => {
      appends.close();
      await connection.close();
    },
  };
}

export function samePosition(one: LogPosition, other: LogPosition): boolean {
  return one.commit === other.commit && one.prepare === other.prepare;
}
