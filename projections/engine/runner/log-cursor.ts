import type { LogPosition } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { comparePlaces, type Place } from "../checkpoints/positions.ts";
import type { LogReader } from "./log-reader.ts";

/** Reads the log on from a place; the next events come in while those handed out are worked on. */
export interface LogCursor {
  /** The last event handed out. */
  place(): Place;
  /** The next events, at least one, none of them after `upTo`. Waits for them; rejects when the cursor is closed. */
  next(upTo?: LogPosition): Promise<readonly RecordedEvent[]>;
  close(): void;
}

/** A cursor on the events after `from`, which hands out at most `maxBatch` at a time. */
export function openLogCursor(log: Pick<LogReader, "subscribe">, from: Place, maxBatch: number): LogCursor {
  const subscription = log.subscribe({ from: from ?? "start", maxBatch });
  const batches = subscription[Symbol.asyncIterator]();
  let place = from;
  let held: readonly RecordedEvent[] = [];

  return {
    place: () => place,
    next: async (upTo) => {
      if (held.length === 0) {
        const { done, value } = await batches.next();
        if (done) throw new Error("The subscription to the log has ended.");
        held = value;
      }
      const beyond = upTo === undefined ? -1 : held.findIndex((event) => comparePlaces(event.position, upTo) > 0);
      const taken = beyond < 0 ? held : held.slice(0, beyond);
      held = beyond < 0 ? [] : held.slice(beyond);
      place = taken.at(-1)?.position ?? place;
      return taken;
    },
    close: () => subscription.close(),
  };
}
