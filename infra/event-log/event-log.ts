import type { DomainEvent, EventMetadata, LogPosition } from "../../domain/event.ts";
import type { Category, EventsByCategory, RecordedEvent } from "../../domain/event-catalogue.ts";
import type { StreamName } from "../../domain/streams.ts";

/** Maximum events of one append. */
export const maxAppendEvents = 500;

/** Revision that a stream must have for an append: that of its last event, or none. */
export type ExpectedRevision = "no_stream" | bigint;

/** The revision of a stream after `count` more events. */
export function revisionAfter(expected: ExpectedRevision, count: number): bigint {
  return (expected === "no_stream" ? -1n : expected) + BigInt(count);
}

/** An event to append. Repeating an append with the same `id`s has no further effect. */
export interface EventToAppend<Event extends DomainEvent = DomainEvent> {
  readonly id: string;
  readonly type: Event["type"];
  /** A JSON value, or bytes (file chunks), stored unchanged. */
  readonly data: Event["data"] | Uint8Array;
  readonly metadata: EventMetadata;
}

export type Appended = {
  readonly outcome: "appended";
  /** Revision of the last event appended. */
  readonly revision: bigint;
  /** Position of the last event appended, the same on an idempotent repeat. */
  readonly position: LogPosition;
};

export type WrongExpectedRevision = {
  readonly outcome: "wrong_expected_revision";
  /** Revision of the stream's last event; null when it has none. */
  readonly actual: bigint | null;
};

export interface Subscription extends AsyncIterable<readonly RecordedEvent[]> {
  /** Ends the iteration; safe to call twice. */
  close(): void;
}

export interface SubscribeOptions {
  /** The last position already handled: the subscription starts after it, "start" with the first event. */
  readonly from: LogPosition | "start";
  /** Maximum events in one batch (default 1,000). A batch is whatever has arrived; it is never empty or delayed. */
  readonly maxBatch?: number;
  /** Called when the subscription has lost its connection, before it reconnects. */
  readonly onTrouble?: (error: Error) => void;
}

/**
 * The port to the event log; one adapter implements it, on `@eventstore/db-client`. Every call has a deadline. When the
 * store cannot be reached or does not respond in time, calls reject with {@link EventLogUnavailable}; the outcome of an
 * append is then unknown, and the same append may be repeated safely.
 */
export interface EventLog extends LeaderCalls {
  /**
   * A catch-up subscription that survives its connection: it resubscribes with backoff after the last event received, and
   * a watchdog compares it with the head. Any node may serve it, so it can lag behind what {@link LeaderCalls} show.
   */
  subscribe(options: SubscribeOptions): Subscription;
  close(): Promise<void>;
}

/** Calls that only the leader of a cluster handles: a read shows every append that was acknowledged before it. */
interface LeaderCalls {
  /** Appends all of `events` or none, at `expected`. 1 to 500 events, at most 1 MiB encoded. */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<Appended | WrongExpectedRevision>;
  /** Events of one stream from `fromRevision` (default 0) on; none when it does not exist. */
  read<In extends Category>(
    stream: StreamName<In>,
    fromRevision?: bigint,
  ): AsyncIterable<RecordedEvent<EventsByCategory[In]>>;
  /** The last `max` events of a stream, newest first. */
  readBackwards<In extends Category>(
    stream: StreamName<In>,
    max: number,
  ): Promise<readonly RecordedEvent<EventsByCategory[In]>[]>;
  /** At most `max` events of the whole log after `from`, oldest first. */
  readAll(from: LogPosition | "start", max: number): AsyncIterable<RecordedEvent>;
  /** The event stored exactly at a position; null when there is none. */
  eventAt(position: LogPosition): Promise<RecordedEvent | null>;
  /** Position of the last event of the whole log; null when it is empty. */
  headPosition(): Promise<LogPosition | null>;
}

/** The event store did not respond in time. Writes may or may not have happened. */
export class EventLogUnavailable extends Error {
  override readonly name = "EventLogUnavailable";
}

/** The event store refuses the user or its rights: to callers it is unavailable until someone repairs that. */
export class EventLogRefused extends EventLogUnavailable {}

/** The append is larger than the store accepts (1 MiB). */
export class AppendTooLarge extends Error {
  override readonly name = "AppendTooLarge";
}
