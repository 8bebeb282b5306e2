import type { RecordedEvent, StoredEvent } from "../../domain/event-catalogue.ts";

/** Events as the log would hand them out, one after the other, at positions 100, 200, ... or from `firstPosition` on. */
export function recordedLog<Event extends StoredEvent>(
  events: readonly Event[],
  firstPosition = 100n,
): readonly RecordedEvent<Event>[] {
  return events.map((event, index) => recordedAt(firstPosition + 100n * BigInt(index), event));
}

/** An event as the log would hand it out at a position. */
export function recordedAt<Event extends StoredEvent>(position: bigint, event: Event): RecordedEvent<Event> {
  return {
    ...event,
    id: exampleUuid("recorded", position),
    stream: "examples-1",
    revision: position,
    position: { commit: position, prepare: position },
    recordedAt: new Date("2026-03-31T00:00:00.000Z"),
    metadata: {
      actor: { kind: "operator" },
      requestId: "example-request",
      correlationId: "example-request",
      causationId: "example-request",
      schemaVersion: 1,
      occurredAt: "2026-03-31T00:00:00.000Z",
    },
  };
}

/** A UUID that is the same for the same kind and number, and another for any other. */
export function exampleUuid(kind: string, number: number | bigint): string {
  let prefix = 0;
  for (const letter of kind) prefix = (prefix * 31 + (letter.codePointAt(0) ?? 0)) % 0xffff_ffff;
  return `${prefix.toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}
