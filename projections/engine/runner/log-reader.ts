import type { LogPosition } from "../../../domain/event.ts";
import type { LogOpened, RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { logIdentityStream } from "../../../domain/streams.ts";

/** What the engine needs of the event log: reading, never appending. The port of `infra/event-log` fits it. */
export interface LogReader {
  read(stream: typeof logIdentityStream): AsyncIterable<RecordedEvent<LogOpened>>;
  /** The event stored exactly there; null when there is none. */
  eventAt(position: LogPosition): Promise<RecordedEvent | null>;
  /** Position of the last event; null when there is none. */
  headPosition(): Promise<LogPosition | null>;
  /** Every event after `from`, in batches of what is waiting, until closed; survives its connection. */
  subscribe(options: { readonly from: LogPosition | "start"; readonly maxBatch?: number }): LogSubscription;
}

export interface LogSubscription extends AsyncIterable<readonly RecordedEvent[]> {
  close(): void;
}

/** Where the engine's own doings are written: pino's signature. */
export interface EngineLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
