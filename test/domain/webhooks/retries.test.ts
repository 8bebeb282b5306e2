import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Failing, failingAfter, nextAttempt } from "../../../domain/webhooks/retries.ts";

const fiveDaysMs = 5 * 86_400_000;
const start = Date.parse("2026-03-30T00:00:00.000Z");
const at = (seconds: number) => new Date(start + seconds * 1_000);
const [hour, day] = [3_600, 86_400];

const retries = suite("what a receiver did not take");

retries("is sent again after 5 s, twice as long each time, at most 6 h, for 5 days", () => {
  const waits: number[] = [];
  let failing: Failing | null = null;
  let now: Date | null = at(0);
  let last = now;
  while (now !== null) {
    last = now;
    failing = failingAfter(failing, now);
    const next = nextAttempt(failing, now);
    if (next !== null) waits.push((next.getTime() - now.getTime()) / 1_000);
    now = next;
  }
  const doubling = Array.from({ length: 13 }, (_, index) => 5 * 2 ** index);
  assert.equal(waits.slice(0, 13), doubling);
  assert.equal(new Set(waits.slice(13)), new Set([6 * hour]));
  assert.equal(failing?.since, at(0));
  const days = (last.getTime() - start) / 1_000 / day;
  assert.ok(days >= 5 && days < 5.25, String(days));
});

retries("is given up at 5 days after its first failure, and not a millisecond before", () => {
  const failing = { failures: 30, since: at(0) };
  assert.is(nextAttempt(failing, new Date(start + fiveDaysMs)), null);
  assert.ok(nextAttempt(failing, new Date(start + fiveDaysMs - 1)) !== null);
});

retries("is not given up with fewer than 20 failures, as after a stop of days", () => {
  const next = (failures: number) => nextAttempt({ failures, since: at(0) }, new Date(start + 2 * fiveDaysMs));
  assert.equal(
    [19, 20, 21].map((failures) => next(failures) === null),
    [false, true, true],
  );
});

retries.run();
