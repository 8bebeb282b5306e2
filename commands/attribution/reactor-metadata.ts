import type { AttributionEvent } from "../../domain/attribution/events.ts";
import type { TargetEvent } from "../../domain/attribution/target-event.ts";
import { eventMetadata } from "../metadata.ts";

/** Of what the attribution reactor says about a target event because of that event, or of a touchpoint. */
export function reactorMetadata(
  type: AttributionEvent["type"],
  { eventId }: TargetEvent,
  causationId: string,
  runId: string,
  now: Date,
) {
  return eventMetadata(type, {
    actor: { kind: "reactor", name: "attribution" },
    requestId: runId,
    correlationId: eventId,
    causationId,
    occurredAt: now.toISOString(),
  });
}
