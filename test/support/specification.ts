import * as assert from "uvu/assert";
import { type Decider, fold, type Rejection } from "../../domain/decider.ts";
import type { DomainEvent } from "../../domain/event.ts";

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
