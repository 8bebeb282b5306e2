import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Faults, isGivenUp, oneMoreFault } from "../../../commands/reactors/retry-policy.ts";

const patience = suite("patience with an upload that keeps failing");
const minute = 60_000;

/** What is known after failures at so many milliseconds. */
const after = (...instants: readonly number[]): Faults =>
  instants.reduce<Faults | undefined>((known, now) => oneMoreFault(known, now), undefined) as Faults;
const times = (count: number, last: number): Faults => after(...Array.from({ length: count - 1 }, () => 0), last);

patience("leaves it alone for a second, then twice as long each time, two minutes at most", () => {
  const pauses = Array.from({ length: 10 }, (_, index) => times(index + 1, 0).until / 1_000);
  assert.equal(pauses, [1, 2, 4, 8, 16, 32, 64, 120, 120, 120]);
});

patience("counts from the first failure on", () => {
  assert.equal(after(5_000, 9_000), { count: 2, since: 5_000, until: 11_000 });
});

patience("ends after 10 failures, when they have lasted for 10 minutes", () => {
  const given = (count: number, lasted: number): boolean => isGivenUp(times(count, lasted), lasted);
  assert.equal(
    [9, 10, 11].map((count) => given(count, 10 * minute)),
    [false, true, true],
  );
  assert.equal(
    [-1, 0, 1].map((more) => given(10, 10 * minute + more)),
    [false, true, true],
  );
  assert.is(given(1, 60 * minute), false);
});

patience.run();
