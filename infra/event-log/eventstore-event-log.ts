import { setTimeout as delay } from "node:timers/promises";
import type { LogPosition } from "../../domain/event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { createAppends } from "./append-call.ts";
import { appendRequest } from "./append-request.ts";
import type { EventLog, EventToAppend, ExpectedRevision } from "./event-log.ts";
import { type ConnectionOptions, EventStoreConnection, NotLeader } from "./eventstore-connection.ts";
import { subscribeToLog } from "./log-subscription.ts";
import { messageBatches } from "./read-messages.ts";
import {
  readAllBackwardsRequest,
  readAllRequest,
  readStreamBackwardsRequest,
  readStreamRequest,
} from "./read-requests.ts";
import { allStreams, type StreamNames } from "./stream-names.ts";

interface EventLogOptions extends ConnectionOptions {
  /** Which streams of the store are ours, and their names there (default: all). Other streams are never returned. */
  readonly names?: StreamNames;
  /** Called when a subscription has lost its connection, before it reconnects. */
  readonly onTrouble?: (error: Error) => void;
}

/** Until a read is sent again whose node was not the leader. */
const leaderRetryMs = 50;

type ReadRequest = Parameters<EventStoreConnection["read"]>[0];

/** The event log on an EventStoreDB, a KurrentDB or the embedded event store. One per process. */
export function createEventLog(options: EventLogOptions): EventLog {
  const connection = new EventStoreConnection(options);
  const appends = createAppends(connection);
  const { names = allStreams, onTrouble = () => {} } = options;
  const stored = (stream: string): string => names.prefix + stream;
  /** What the last search of the head has found behind the position where it began. */
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

  async function* events(request: ReadRequest): AsyncGenerator<RecordedEvent> {
    for await (const batch of batches(request))
      for (const message of batch) if (message.kind === "event" && message.event) yield message.event;
  }

  /** Searches backwards, and no further than to where the search before it began: others may append most events. */
  async function headPosition(): Promise<LogPosition | null> {
    const known = searched;
    let from: bigint | null = null;
    for await (const batch of batches(readAllBackwardsRequest())) {
      for (const message of batch) {
        if (message.kind !== "event") continue;
        from ??= message.position.commit;
        // A log that is shorter than it was is another one.
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

  async function* readAll(from: LogPosition | "start", max: number): AsyncGenerator<RecordedEvent> {
    let left = max;
    if (left <= 0) return;
    for await (const event of events(readAllRequest(from, null))) {
      if (from !== "start" && samePosition(event.position, from)) continue;
      yield event;
      left -= 1;
      if (left === 0) return;
    }
  }

  return {
    async append(stream: string, expected: ExpectedRevision, toAppend: readonly EventToAppend[]) {
      return appends.send(appendRequest(stored(stream), expected, toAppend, connection.deadlineMs));
    },
    // What a stream contains follows from its name: no type check could say more.
    read: (stream, fromRevision = 0n) =>
      events(readStreamRequest(stored(stream), fromRevision)) as AsyncIterable<RecordedEvent<never>>,
    readBackwards: (stream, max) =>
      collected(events(readStreamBackwardsRequest(stored(stream), max))) as Promise<readonly RecordedEvent<never>[]>,
    readAll,
    async eventAt(position) {
      for await (const event of events(readAllRequest(position, 1)))
        if (samePosition(event.position, position)) return event;
      return null;
    },
    headPosition,
    subscribe: (subscribeOptions) => subscribeToLog({ connection, names, headPosition, onTrouble }, subscribeOptions),
    async close() {
      appends.close();
      await connection.close();
    },
  };
}

function samePosition(one: LogPosition, other: LogPosition): boolean {
  return one.commit === other.commit && one.prepare === other.prepare;
}

async function collected<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
