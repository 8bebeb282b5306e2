import type { EventMetadata } from "../../domain/event.ts";
import type { EventToAppend } from "../../infra/event-log/event-log.ts";

/** What the protocol adds to an event: its id, type, content type and framing, generously. */
const framing = 160;

/** Bytes that each event of a call takes in an append, a little more than less. */
export function encodedSizes(events: readonly EventToAppend[]): readonly number[] {
  // The events of one request share one metadata object.
  let weighed: EventMetadata | null = null;
  let metadataSize = 0;
  return events.map(({ data, metadata }) => {
    if (metadata !== weighed) {
      weighed = metadata;
      metadataSize = jsonSize(metadata);
    }
    return (data instanceof Uint8Array ? data.byteLength : jsonSize(data)) + metadataSize + framing;
  });
}

function jsonSize(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}
