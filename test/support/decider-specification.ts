import fc from "fast-check";
import * as assert from "uvu/assert";
import { type Decider, isRejection, type Rejection } from "../../domain/decider.ts";
import type { DomainEvent } from "../../domain/event.ts";

/** The state after a history. */
export function fold<Event extends DomainEvent, State>(
  decider: Pick<Decider<never, Event, State>, "initialState" | "evolve">,
  events: Iterable<Event>,
): State {
  let state = decider.initialState;
  for (const event of events) state = decider.evolve(state, event);
  return state;
}

/**
 * The behaviour of a decider, stated as `specification(decider).given(events).when(command).then(decision)`. The decision
 * is compared whole: the events in order, `[]` when the command changes nothing, or the rejection.
 */
export function specification<Command, Event extends DomainEvent, State, Code extends string>(
  decider: Decider<Command, Event, State, Code>,
) {
  return {
    given: (...history: readonly Event[]) => ({
      when: (command: Command) => ({
        // biome-ignore lint/suspicious/noThenProperty: given, when, then are the words of a specification
        then: (decision: readonly Event[] | Rejection<Code>): void => {
          assert.equal(decider.decide(command, fold(decider, history)), decision);
        },
      }),
    }),
  };
}

/** Fails unless deciding a command again decides nothing, whatever was decided before. */
export function assertDecidesOnce<Command, Event extends DomainEvent, State, Code extends string>(
  decider: Decider<Command, Event, State, Code>,
  command: fc.Arbitrary<Command>,
  given: readonly Event[] = [],
): void {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 10 }), command, (before, last) => {
      const history = historyOf(decider, before, given);
      const decision = decider.decide(last, fold(decider, history));
      if (!isRejection(decision)) {
        assert.equal(decider.decide(last, fold(decider, [...history, ...decision])), []);
      }
    }),
  );
}

/** The events that commands lead to; rejected commands are skipped. */
export function historyOf<Command, Event extends DomainEvent, State, Code extends string>(
  decider: Decider<Command, Event, State, Code>,
  commands: readonly Command[],
  given: readonly Event[] = [],
): readonly Event[] {
  const history = [...given];
  for (const command of commands) {
    const decision = decider.decide(command, fold(decider, history));
    if (!isRejection(decision)) history.push(...decision);
  }
  return history;
}

/** One test of a decider: its title, the events so far, the command, and the decision. */
export type Rule<Command, Event, Code extends string> = readonly [
  title: string,
  given: readonly Event[],
  when: Command,
  then: readonly Event[] | Rejection<Code>,
];

/** Adds a test for each rule of a decider. */
export function addRules<Command, Event extends DomainEvent, State, Code extends string>(
  tests: (title: string, test: () => void) => unknown,
  decider: Decider<Command, Event, State, Code>,
  rules: readonly Rule<NoInfer<Command>, NoInfer<Event>, NoInfer<Code>>[],
): void {
  for (const [title, given, when, then] of rules) {
    tests(title, () =>
      specification(decider)
        .given(...given)
        .when(when)
        .then(then),
    );
  }
}
