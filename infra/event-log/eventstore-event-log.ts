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

interface EventLogOptions extends ConnectionOptions {
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
  const onTrouble = options.onTrouble ?? (() => {});

  async function* batches(request: ReadRequest) {
    const deadline = performance.now() + connection.deadlineMs;
    for (let hasBegun = false; ; ) {
      try {
        for await (const batch of messageBatches(await connection.read(request, "leader"), connection.deadlineMs)) {
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

  async function headPosition(): Promise<LogPosition | null> {
    for await (const event of events(readAllBackwardsRequest())) return event.position;
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
      return appends.send(appendRequest(stream, expected, toAppend, connection.deadlineMs));
    },
    // What a stream contains follows from its name: no type check could say more.
    read: (stream, fromRevision = 0n) =>
      events(readStreamRequest(stream, fromRevision)) as AsyncIterable<RecordedEvent<never>>,
    readBackwards: (stream, max) =>
      collected(events(readStreamBackwardsRequest(stream, max))) as Promise<readonly RecordedEvent<never>[]>,
    readAll,
    async eventAt(position) {
      for await (const event of events(readAllRequest(position, 1)))
        if (samePosition(event.position, position)) return event;
      return null;
    },
    headPosition,
    subscribe: (subscribeOptions) => subscribeToLog({ connection, headPosition, onTrouble }, subscribeOptions),
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
