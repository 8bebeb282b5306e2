import { isUndecodable, type Recorded } from "../domain/event.ts";
import { isEventType } from "../domain/event-catalogue.ts";

/** A stream has an event that this version cannot read: its state is unknown, and nothing may be decided from it. */
export class EventUnreadable extends Error {
  override readonly name = "EventUnreadable";
}

type RecordedContent = Recorded & { readonly type: string; readonly data: unknown };

/** Whether this version knows the type of an event, and its data have the shape of that type. */
export function isReadable({ type, data }: RecordedContent): boolean {
  return isEventType(type) && !isUndecodable(data);
}

/** @throws {EventUnreadable} which names the event, as of a newer version or damaged */
export function requireReadable(event: RecordedContent): void {
  if (isReadable(event)) return;
  const { stream, revision, type, data } = event;
  const reason = isUndecodable(data) ? data.message : "its type is unknown; a newer version may have written it";
  throw new EventUnreadable(`${type} in ${stream} at revision ${revision} cannot be read: ${reason}`);
}
