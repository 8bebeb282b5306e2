import type { LogPosition } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { comparePositions, type PositionOrStart } from "../checkpoints/positions.ts";
import type { LogReader } from "./log-reader.ts";

/** Reads the log from a position on; fetches the next events while the caller handles the last ones. */
export interface LogCursor {
  /** Position of the last event returned. */
  position(): PositionOrStart;
  /** Waits for at least one event; returns none after `upTo`. Rejects when the cursor is closed. */
  next(upTo?: LogPosition): Promise<readonly RecordedEvent[]>;
  close(): void;
}

/** A cursor on the events after `from`, which returns at most `maxBatch` at a time. */
export function openLogCursor(log: Pick<LogReader, "subscribe">, from: PositionOrStart, maxBatch: number): LogCursor {
  const subscription = log.subscribe({ from: from ?? "start", maxBatch });
  const batches = subscription[Symbol.asyncIterator]();
  let position = from;
  let held: readonly RecordedEvent[] = [];

  return {
    position: () => position,
    next: async (upTo) => {
      if (held.length === 0) {
        const { done, value } = await batches.next();
        if (done) throw new Error("The subscription to the log has ended.");
        held = value;
      }
      const beyond = upTo === undefined ? -1 : held.findIndex((event) => comparePositions(event.position, upTo) > 0);
      const taken = beyond < 0 ? held : held.slice(0, beyond);
      held = beyond < 0 ? [] : held.slice(beyond);
      position = taken.at(-1)?.position ?? position;
      return taken;
    },
    close: () => subscription.close(),
  };
}
