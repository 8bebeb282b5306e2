import type { DomainEvent, EventMetadata, LogPosition, RecordedEvent } from "../../domain/event.ts";

/** What a stream must look like for an append to be taken: nothing there yet, or exactly so many events. */
export type ExpectedRevision = "no_stream" | bigint;

/** An event on its way into the log. `id` makes a repeated append the same append. */
export interface EventToAppend<Event extends DomainEvent = DomainEvent> {
  readonly id: string;
  readonly type: Event["type"];
  /** A JSON value, or bytes (file chunks), stored as they are. */
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
  /** The last position already handled: the subscription starts after it. "start" is the beginning of the log. */
  readonly from: LogPosition | "start";
  /** Only streams whose names start with one of these. Absent: every event. */
  readonly streamPrefixes?: readonly string[];
  /** Most events in one batch (default 1,000). A batch is what is waiting, never empty, no timer. */
  readonly maxBatch?: number;
  readonly signal?: AbortSignal;
  /**
   * Called between batches when everything that was in the log has been delivered **and** taken by the loop;
   * never while events are in flight. Filtered subscriptions get the server's checkpoints here as well.
   */
  readonly onCaughtUp?: () => void;
  /**
   * Called between batches of a filtered subscription: the server has looked at everything up to here, and all that
   * the filter lets through has been taken by the loop.
   */
  readonly onCheckpoint?: (position: LogPosition) => void;
}

/**
 * The event log as the rest of the house sees it. One adapter implements it, on `@eventstore/db-client`. Every call has
 * a deadline. When the store cannot be reached or does not answer in time, calls reject with {@link
 * EventLogUnavailable}; the outcome of an append is then unknown and the same append may be repeated safely.
 */
export interface EventLog {
  /** Appends all of `events` or none, at `expected`. 1 to 500 events, at most 1 MiB encoded. */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<Appended | WrongExpectedRevision>;
  /** Events of one stream from `fromRevision` (default 0) on. An absent stream has none. */
  read(stream: string, fromRevision?: bigint): AsyncIterable<RecordedEvent>;
  /** The last `max` events of a stream, newest first. */
  readBackwards(stream: string, max: number): Promise<readonly RecordedEvent[]>;
  /** At most `max` events of the whole log after `from`, oldest first. */
  readAll(from: LogPosition | "start", max: number): AsyncIterable<RecordedEvent>;
  /** The event stored exactly at a position; null when there is none. */
  eventAt(position: LogPosition): Promise<RecordedEvent | null>;
  /** Position of the last event of the whole log; null when it is empty. */
  headPosition(): Promise<LogPosition | null>;
  /**
   * A catch-up subscription that survives its connection: it resubscribes with backoff from the last event that the
   * loop has taken, and a watchdog compares it with the head.
   */
  subscribe(options: SubscribeOptions): Subscription;
  close(): Promise<void>;
}

/** The event store did not answer, or not in time. Writes may or may not have happened. */
export class EventLogUnavailable extends Error {
  override readonly name = "EventLogUnavailable";
}

/** The batch is larger than the store takes (1 MiB). */
export class AppendTooLarge extends Error {
  override readonly name = "AppendTooLarge";
}
