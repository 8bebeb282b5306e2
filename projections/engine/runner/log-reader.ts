import type { LogPosition } from "../../../domain/event.ts";
import type { LogOpened, RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { logIdentityStream } from "../../../domain/streams.ts";

/** The port by which the engine reads the event log; it never appends. Implemented by `infra/event-log`. */
export interface LogReader {
  read(stream: typeof logIdentityStream): AsyncIterable<RecordedEvent<LogOpened>>;
  /** The event at exactly this position; null when there is none. */
  eventAt(position: LogPosition): Promise<RecordedEvent | null>;
  /** Position of the last event; null when there is none. */
  headPosition(): Promise<LogPosition | null>;
  /** Every event after `from`, in batches, until closed; reconnects by itself, after calling `onTrouble`. */
  subscribe(options: SubscribeOptions): LogSubscription;
}

export interface SubscribeOptions {
  readonly from: LogPosition | "start";
  readonly maxBatch?: number;
  readonly onTrouble?: (error: Error) => void;
}

export interface LogSubscription extends AsyncIterable<readonly RecordedEvent[]> {
  close(): void;
}

/** A logger with pino's signature. */
export interface EngineLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
