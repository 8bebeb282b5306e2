import type { DomainEvent } from "./event.ts";
import { type Fault, fault, type MessageParams, type Path } from "./fault.ts";

/** A decider's refusal of a command: a closed code, and the faults of the request that caused it. */
export interface Rejection<Code extends string = string> {
  readonly rejected: Code;
  /** Absent when no field is at fault. Paths begin with the part of the request: `body` or `path`. */
  readonly faults?: readonly Fault[];
}

/**
 * One consistency boundary: the events that may happen in a stream, and the state that they result in. `decide` is
 * total, synchronous and pure: clock, ids, secrets and look-ups arrive inside the command; a command without an effect
 * returns `[]`. `evolve` never refuses.
 */
export interface Decider<Command, Event extends DomainEvent, State, Code extends string = string> {
  readonly initialState: State;
  decide(command: Command, state: State): readonly Event[] | Rejection<Code>;
  evolve(state: State, event: Event): State;
}

/** A rejection for one field. The fault has the rejection's code in lower case. */
export function rejectField<Code extends string>(rejected: Code, path: Path, params?: MessageParams): Rejection<Code> {
  return { rejected, faults: [fault(rejected.toLowerCase(), path, params)] };
}

export function isRejection<Code extends string>(
  decision: readonly unknown[] | Rejection<Code>,
): decision is Rejection<Code> {
  return !Array.isArray(decision);
}

/**
 * Ends a `switch` over a union: does not compile while a case is missing. The error names the `type` of a value that has
 * one: a recorded event has bigints, which are no JSON, and personal data.
 */
export function assertNever(value: never): never {
  const { type } = Object(value) as { readonly type?: unknown };
  throw new Error(`Not handled: ${type ?? JSON.stringify(value)}`);
}
