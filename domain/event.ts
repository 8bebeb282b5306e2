import type { TraceContext } from "./values/trace-context.ts";

/**
 * The metadata of every event: its cause and actor. Only `commands/event-metadata.ts` makes it. The trace context is present
 * when a request or the tracing of this process gave one (contract/http.md#traces).
 */
export interface EventMetadata extends Partial<TraceContext> {
  readonly actor: Actor;
  /** The `X-Request-Id` of the HTTP call, or the run of the reactor, that caused the event. */
  readonly requestId: string;
  readonly correlationId: string;
  readonly causationId: string;
  readonly schemaVersion: number;
  /** When the command was handled, ISO 8601 in UTC. When the event happened to the user is in its data. */
  readonly occurredAt: string;
}

export type Actor =
  | { readonly kind: "token"; readonly tokenId: string; readonly role: string }
  | { readonly kind: "operator" }
  | { readonly kind: "reactor"; readonly name: string }
  | { readonly kind: "visitor" };

/** A fact as a decider returns it: its type and its data. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
}

/**
 * A place in the whole log. Both halves are kept, as EventStoreDB orders by commit, then prepare.
 * `commit` alone identifies an event on every server since 20: it is what read models store as `position`.
 */
export interface LogPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** The position at a commit: the halves differ only in explicit transactions, which this program never begins. */
export function positionAtCommit(commit: bigint): LogPosition {
  return { commit, prepare: commit };
}

/** The later of two positions; null only when there is neither. */
export function laterPosition(one: LogPosition | null, other: LogPosition | null): LogPosition | null {
  if (one === null || other === null) return one ?? other;
  return one.commit > other.commit ? one : other;
}

/** Where an event is stored, and its metadata. */
export interface Recorded {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: LogPosition;
  /** When the event store recorded it; for a copied event, when the first event store did. */
  readonly recordedAt: Date;
  readonly metadata: EventMetadata;
}

/** Replaces the data of an event whose bytes could not be decoded; the message gives the reason. */
export class Undecodable extends Error {
  override readonly name = "Undecodable";
  /** What is stored. */
  readonly bytes: Uint8Array;
  constructor(reason: string, bytes: Uint8Array) {
    super(reason);
    this.bytes = bytes;
  }
}

/** Whether an event's data could not be decoded: projections set such an event aside. */
export function isUndecodable(data: unknown): data is Undecodable {
  return data instanceof Undecodable;
}
