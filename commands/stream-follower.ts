import type { Recorded } from "../domain/event.ts";
import type { Category, EventsByCategory, RecordedEvent } from "../domain/event-catalogue.ts";
import { isInCategory, type StreamName } from "../domain/streams.ts";
import type { EventLog } from "../infra/event-log/event-log.ts";
import { singleFlight } from "../infra/process/single-flight.ts";
import { isReadable } from "./readable-event.ts";

/** Follows one stream: every event of it that this version can read is passed on once, in order. */
export interface StreamFollower {
  /** Reads new events. Rejects with `EventLogUnavailable`. */
  refresh(): Promise<void>;
  /** Passes on events from the tail of the log; events of other categories are ignored. */
  apply(events: readonly RecordedEvent[]): void;
  /** Whether any event of the stream was read. */
  hasBegun(): boolean;
}

/** @param category of the stream, which must be its only one */
export function followStream<In extends Category>(
  log: Pick<EventLog, "read">,
  stream: StreamName<In>,
  category: In,
  onEvent: (recorded: RecordedEvent<EventsByCategory[In]>) => void,
): StreamFollower {
  let next = 0n;
  const take = (recorded: RecordedEvent<EventsByCategory[In]>): void => {
    if (recorded.revision !== next) return;
    next += 1n;
    if (isReadable(recorded)) onEvent(recorded);
  };
  const refresh = singleFlight(async () => {
    for await (const recorded of log.read(stream, next)) take(recorded);
  });
  return {
    refresh,
    apply: (events: readonly Recorded[]) => {
      for (const recorded of events) {
        if (!isInCategory(recorded, category)) continue;
        if (recorded.revision <= next) take(recorded);
        // An earlier event is missing: read it. A failure is retried by the next event or look-up.
        else void refresh().catch(() => {});
      }
    },
    hasBegun: () => next > 0n,
  };
}
