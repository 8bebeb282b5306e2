import type { LogPosition, RecordedEvent } from "../../domain/recorded-event.ts";
import { appendMessages } from "./append-messages.ts";
import type { Upcasters } from "./codec.ts";
import type { Appended, EventLog, EventToAppend, ExpectedRevision, WrongExpectedRevision } from "./event-log.ts";
import { type ConnectionOptions, EventStoreConnection } from "./eventstore-connection.ts";
import { subscribeToLog } from "./log-subscription.ts";
import { messageBatches } from "./message-batches.ts";
import {
  readAllBackwardsRequest,
  readAllRequest,
  readStreamBackwardsRequest,
  readStreamRequest,
} from "./read-requests.ts";

export interface EventLogOptions extends ConnectionOptions {
  readonly upcasters?: Upcasters;
  /** Told when a subscription has lost its connection, before it tries again. */
  readonly onTrouble?: (error: Error) => void;
}

type ReadRequest = Parameters<EventStoreConnection["read"]>[0];

/** The event log on an EventStoreDB, a KurrentDB or the embedded event store. One per process. */
export function createEventLog(options: EventLogOptions): EventLog {
  const connection = new EventStoreConnection(options);
  const upcasters = options.upcasters ?? {};
  const onTrouble = options.onTrouble ?? (() => {});

  async function* events(request: ReadRequest): AsyncGenerator<RecordedEvent> {
    const call = await connection.read(request);
    for await (const batch of messageBatches(call, upcasters, connection.deadlineMs))
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
      return appendOutcome(await connection.append(appendMessages(stream, expected, toAppend)));
    },
    read: (stream, fromRevision = 0n) => events(readStreamRequest(stream, fromRevision)),
    readBackwards: (stream, max) => collected(events(readStreamBackwardsRequest(stream, max))),
    readAll,
    async eventAt(position) {
      for await (const event of events(readAllRequest(position, 1)))
        if (samePosition(event.position, position)) return event;
      return null;
    },
    headPosition,
    subscribe: (subscribeOptions) =>
      subscribeToLog({ connection, upcasters, headPosition, onTrouble }, subscribeOptions),
    close: () => connection.close(),
  };
}

function appendOutcome(
  response: Awaited<ReturnType<EventStoreConnection["append"]>>,
): Appended | WrongExpectedRevision {
  const wrong = response.getWrongExpectedVersion();
  if (wrong) {
    const actual = wrong.hasCurrentRevision() ? BigInt(wrong.getCurrentRevision()) : null;
    return { outcome: "wrong_expected_revision", actual };
  }
  const success = response.getSuccess();
  const place = success?.getPosition();
  if (!success || !place) throw new Error("the event store acknowledged an append without a position");
  const position = { commit: BigInt(place.getCommitPosition()), prepare: BigInt(place.getPreparePosition()) };
  return { outcome: "appended", revision: BigInt(success.getCurrentRevision()), position };
}

function samePosition(one: LogPosition, other: LogPosition): boolean {
  return one.commit === other.commit && one.prepare === other.prepare;
}

async function collected<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
