import { randomUUID } from "node:crypto";
import {
  type AllStreamRecordedEvent,
  type AllStreamSubscription,
  EventStoreDBClient,
  type JSONEventData,
  jsonEvent,
  type Position,
  type RecordedEvent,
  type StreamSubscription,
} from "@eventstore/db-client";
import { eventStoreUrl } from "../../../infra/event-log/event-store-access.ts";

/** A server under test, and what it says of itself. */
export interface ServerUnderTest {
  readonly connectionString: string;
  readonly credentials: { readonly username: string; readonly password: string };
  /** Whether calls without the right credential are refused. */
  readonly secure: boolean;
  /** The exact limit of an append; null where it is not known. */
  readonly maximumAppendSize: number | null;
  /** Servers before 23.10 do not. */
  readonly saysCaughtUp: boolean;
}

/** Any program's client: the credential is in its connection string. */
export function clientOf({ connectionString, credentials }: ServerUnderTest): EventStoreDBClient {
  return EventStoreDBClient.connectionString(eventStoreUrl({ connectionString, ...credentials }));
}

/** A name that no other test has used. */
export function newStream(prefix = "contract"): string {
  return `${prefix}-${randomUUID()}`;
}

/** `count` events that can be told apart. */
export function newEvents(count: number, type = "ThingHappened"): JSONEventData[] {
  return Array.from({ length: count }, (_, index) => jsonEvent({ type, data: { index } }));
}

/** What a read gives, in order. */
export async function eventsOf(
  read: AsyncIterable<{ readonly event?: RecordedEvent | AllStreamRecordedEvent }>,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const { event } of read) if (event) events.push(event as RecordedEvent);
  return events;
}

export function idsOf(events: readonly { readonly id: string }[]): string[] {
  return events.map(({ id }) => id);
}

/** The error that a call rejects with; null when it does not. */
export async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error) => error,
  );
}

/** Resolves with the first value for which `arrange` calls back; rejects when that takes too long. */
export function within<Value>(arrange: (found: (value: Value) => void) => void, ms = 10_000): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing came in ${ms} ms`)), ms);
    arrange((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}

/** Position of the last event of the log. */
export async function headOf(client: EventStoreDBClient): Promise<Position | "start"> {
  const [last] = await eventsOf(client.readAll({ direction: "backwards", fromPosition: "end", maxCount: 1 }));
  return last?.position ?? "start";
}

/** What a subscription brings, as it comes. */
export interface Listening {
  readonly events: RecordedEvent[];
  /** Waits until so many events have come, and returns them. */
  first(count: number): Promise<readonly RecordedEvent[]>;
  readonly failure: Promise<Error>;
  stop(): Promise<void>;
}

export function listenTo(subscription: AllStreamSubscription | StreamSubscription): Listening {
  const events: RecordedEvent[] = [];
  let tell = () => {};
  const receive = ({ event }: { readonly event?: RecordedEvent | AllStreamRecordedEvent }) => {
    if (event) events.push(event as RecordedEvent);
    tell();
  };
  const failure = new Promise<Error>((resolve) => {
    const source: NodeJS.EventEmitter = subscription;
    source.on("data", receive);
    source.on("error", resolve);
  });
  const first = (count: number) =>
    within<readonly RecordedEvent[]>((found) => {
      tell = () => {
        if (events.length >= count) found(events.slice(0, count));
      };
      tell();
    });
  return { events, first, failure, stop: () => subscription.unsubscribe() };
}
