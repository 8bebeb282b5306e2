import type { EventsByCategory, RecordedEvent } from "../domain/event-catalogue.ts";
import type { StreamName } from "../domain/streams.ts";

/** The port by which the read API reads what is in the log alone, or not in the read models yet. */
export interface LogReader {
  /** Events of one stream, oldest first; none when it does not exist. */
  read<In extends "reportTask" | "upload">(stream: StreamName<In>): AsyncIterable<RecordedEvent<EventsByCategory[In]>>;
}
