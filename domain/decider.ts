import type { DomainEvent } from "./event.ts";

/** A refusal as a value: a closed code and what a person needs to mend the request. */
export interface Rejection<Code extends string = string> {
  readonly rejected: Code;
  /** Path to the field at fault, as the request spells it; absent when no single field is. */
  readonly field?: readonly (string | number)[];
  /** Words for the person, safe to show. */
  readonly detail?: string;
}

/**
 * One consistency boundary (craft: decider): what may happen to one stream and what it means.
 * `decide` is total, synchronous and blind: clock, ids, secrets and look-ups arrive inside the command; deciding what
 * is already so answers `[]`. `evolve` never refuses.
 */
export interface Decider<Command, Event extends DomainEvent, State, Code extends string = string> {
  readonly initialState: State;
  decide(command: Command, state: State): readonly Event[] | Rejection<Code>;
  evolve(state: State, event: Event): State;
}

export function isRejection<Code extends string>(
  decision: readonly unknown[] | Rejection<Code>,
): decision is Rejection<Code> {
  return !Array.isArray(decision);
}

/** The state after a history. */
export function fold<Event extends DomainEvent, State>(
  decider: Pick<Decider<never, Event, State>, "initialState" | "evolve">,
  events: Iterable<Event>,
): State {
  let state = decider.initialState;
  for (const event of events) state = decider.evolve(state, event);
  return state;
}

/** Ends a `switch` over a union: does not compile while a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`Not handled: ${JSON.stringify(value)}`);
}
