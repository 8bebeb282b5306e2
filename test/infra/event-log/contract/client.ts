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
import { eventStoreUrl } from "../../../../infra/event-log/event-store-access.ts";
import { keepLoopbackFromProxies, omitAddressesFromServerNames } from "../../../../infra/event-log/grpc-setup.ts";

/** A server under test and its properties. */
export interface ServerUnderTest {
  readonly connectionString: string;
  readonly credentials: { readonly username: string; readonly password: string };
  /** Whether calls without the right credential are refused. */
  readonly secure: boolean;
  /** The exact limit of an append; null when it is unknown. */
  readonly maximumAppendSize: number | null;
  /** False for servers before 23.10. */
  readonly reportsCaughtUp: boolean;
}

omitAddressesFromServerNames();

/** The package's client, with gRPC set up as in production and the credential in its connection string. */
export function clientOf({ connectionString, credentials }: ServerUnderTest): EventStoreDBClient {
  keepLoopbackFromProxies();
  return EventStoreDBClient.connectionString(eventStoreUrl({ connectionString, ...credentials }));
}

/** `count` events that differ. */
export function newEvents(count: number, type = "ThingHappened"): JSONEventData[] {
  return Array.from({ length: count }, (_, index) => jsonEvent({ type, data: { index } }));
}

/** The events of a read, in order. */
export async function eventsOf(
  read: AsyncIterable<{ readonly event?: RecordedEvent | AllStreamRecordedEvent }>,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const { event } of read) if (event) events.push(event as RecordedEvent);
  return events;
}

/** Resolves with the first value for which `arrange` calls back; rejects when that takes too long. */
export function within<Value>(arrange: (found: (value: Value) => void) => void, ms = 10_000): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing arrived in ${ms} ms`)), ms);
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

/** The events of a subscription as they arrive. */
interface Listening {
  readonly events: RecordedEvent[];
  /** Waits until `count` events have arrived, and returns them. */
  first(count: number): Promise<readonly RecordedEvent[]>;
  readonly failure: Promise<Error>;
  stop(): Promise<void>;
}

/** Events that are not `wanted` are dropped: on a server that tests share, those of the others. */
export function listenTo(
  subscription: AllStreamSubscription | StreamSubscription,
  wanted: (event: RecordedEvent) => boolean = () => true,
): Listening {
  const events: RecordedEvent[] = [];
  let notify = () => {};
  const receive = ({ event }: { readonly event?: RecordedEvent | AllStreamRecordedEvent }) => {
    if (event && wanted(event as RecordedEvent)) events.push(event as RecordedEvent);
    notify();
  };
  const failure = new Promise<Error>((resolve) => {
    const source: NodeJS.EventEmitter = subscription;
    source.on("data", receive);
    source.on("error", resolve);
  });
  const first = (count: number) =>
    within<readonly RecordedEvent[]>((found) => {
      notify = () => {
        if (events.length >= count) found(events.slice(0, count));
      };
      notify();
    });
  return { events, first, failure, stop: () => subscription.unsubscribe() };
}
