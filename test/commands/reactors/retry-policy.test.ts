import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addFailure, type Failures, isExhausted } from "../../../commands/reactors/retry-policy.ts";

const policy = { initialBackoffMs: 1_000, maxBackoffMs: 120_000, giveUp: { failures: 3, afterMs: 5_000 } };

const retries = suite("retries of failing work");

retries("pause for twice as long after each failure, up to the maximum", () => {
  let failures: Failures | null = null;
  const pauses = Array.from({ length: 10 }, (_, index) => {
    failures = addFailure(failures, index, policy);
    return failures.until - index;
  });
  assert.equal(pauses, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 120_000, 120_000, 120_000]);
});

for (const [count, lastedMs, expected] of [
  [2, 5_000, false],
  [3, 4_999, false],
  [3, 5_000, true],
] as const) {
  retries(`${expected ? "end" : "go on"} after ${count} failures in ${lastedMs} ms`, () => {
    assert.is(isExhausted({ count, since: 100, until: 0 }, 100 + lastedMs, policy), expected);
  });
}

retries("never end without a limit", () => {
  assert.is(isExhausted({ count: 1_000, since: 0, until: 0 }, 1e12, { ...policy, giveUp: null }), false);
});

retries.run();
