import type { Actor, EventMetadata } from "../domain/event.ts";
import { type EventType, eventCatalogue } from "../domain/event-catalogue.ts";
import type { Principal } from "../domain/tokens/principal.ts";
import type { TraceContext } from "../domain/values/trace-context.ts";
import type { RouteRequest } from "../infra/http/routing/route.ts";

/** Who and what caused a command: the part of an event's metadata that the edge knows. */
export interface Cause {
  readonly actor: Actor;
  readonly requestId: string;
  /** What set the whole chain off; the request itself when nothing did before. */
  readonly correlationId?: string;
  /** The event or request that this follows from directly. */
  readonly causationId?: string;
  /** ISO 8601 in UTC. */
  readonly occurredAt: string;
  /** The trace that it is part of. */
  readonly trace?: TraceContext | undefined;
}

/** The metadata of a new event of a type. */
export function eventMetadata(type: EventType, cause: Cause): EventMetadata {
  return {
    actor: cause.actor,
    requestId: cause.requestId,
    correlationId: cause.correlationId ?? cause.requestId,
    causationId: cause.causationId ?? cause.requestId,
    schemaVersion: eventCatalogue[type].version,
    occurredAt: cause.occurredAt,
    ...cause.trace,
  };
}

/** The metadata of many events with one cause: one object for each type. */
export function sharedMetadata(cause: Cause): (type: EventType) => EventMetadata {
  const made = new Map<EventType, EventMetadata>();
  return (type) => {
    const metadata = made.get(type) ?? eventMetadata(type, cause);
    made.set(type, metadata);
    return metadata;
  };
}

/** The actor that a caller is recorded as. */
function actorOf(principal: Principal): Actor {
  if (principal.kind === "operator") return { kind: "operator" };
  if (principal.kind === "channel") return { kind: "token", tokenId: principal.tokenId, role: "channel" };
  return { kind: "token", tokenId: principal.tokenId, role: principal.role ?? principal.tokenKind };
}

/** What an HTTP request contributes to the metadata of its events. */
export type CausingRequest = Pick<RouteRequest<unknown, unknown>, "principal" | "requestId" | "receivedAt" | "trace">;

/** The cause of what an HTTP request sets off. */
export function causeOf(request: CausingRequest): Cause {
  const { principal, requestId, receivedAt: occurredAt, trace } = request;
  return { actor: actorOf(principal), requestId, occurredAt, trace };
}
