import type { LogPosition, RecordedEvent } from "../domain/recorded-event.ts";
import type { LogReader } from "./log-reader.ts";
import { comparePlaces, type Place } from "./positions.ts";

/** Reads the log on from a place, one chunk ahead of whoever uses what it reads. */
export interface LogCursor {
  /** The last event handed out. */
  place(): Place;
  /** The next events, none of them after `upTo`; empty when the log has no more for now. Rejects when it cannot be read. */
  next(upTo?: LogPosition): Promise<readonly RecordedEvent[]>;
}

/** A cursor that hands out the events after `from`, at most `max` at a time. */
export function openLogCursor(log: Pick<LogReader, "readAll">, from: Place, max: number): LogCursor {
  let place = from;
  let held: readonly RecordedEvent[] = [];
  let ahead: Promise<readonly RecordedEvent[]> | null = null;

  const read = async (after: Place): Promise<readonly RecordedEvent[]> => {
    const events: RecordedEvent[] = [];
    for await (const event of log.readAll(after ?? "start", max)) events.push(event);
    return events;
  };

  const fill = async (): Promise<void> => {
    const reading = ahead ?? read(place);
    ahead = null;
    held = await reading;
    const last = held.at(-1);
    if (last === undefined || held.length < max) return;
    ahead = read(last.position);
    // Whoever asks for it next meets the failure; until then nobody listens.
    ahead.catch(() => undefined);
  };

  return {
    place: () => place,
    next: async (upTo) => {
      if (held.length === 0) await fill();
      const beyond = upTo === undefined ? -1 : held.findIndex((event) => comparePlaces(event.position, upTo) > 0);
      const taken = beyond < 0 ? held : held.slice(0, beyond);
      held = beyond < 0 ? [] : held.slice(beyond);
      place = taken.at(-1)?.position ?? place;
      return taken;
    },
  };
}
