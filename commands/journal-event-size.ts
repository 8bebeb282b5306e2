import type { EventMetadata } from "../domain/recorded-event.ts";
import type { EventToAppend } from "../infra/event-log/event-log.ts";

/** What the protocol adds to an event: its id, type, content type and framing, generously. */
const framing = 160;

const metadataSizes = new WeakMap<EventMetadata, number>();

/** Bytes that an event takes in an append, a little more than less. */
export function encodedSize(event: EventToAppend): number {
  const data = event.data instanceof Uint8Array ? event.data.byteLength : jsonSize(event.data);
  return data + metadataSize(event.metadata) + framing;
}

/** The events of one request share one metadata object, so it is measured once. */
function metadataSize(metadata: EventMetadata): number {
  let size = metadataSizes.get(metadata);
  if (size === undefined) {
    size = jsonSize(metadata);
    metadataSizes.set(metadata, size);
  }
  return size;
}

function jsonSize(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}
