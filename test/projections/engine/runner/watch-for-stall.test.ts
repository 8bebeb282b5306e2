import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SubscribeOptions } from "../../../../projections/engine/runner/log-reader.ts";
import { LogStalled, watchForStall } from "../../../../projections/engine/runner/watch-for-stall.ts";

const test = suite("the watch for a stalled log");

/** Whether the watch gives up at each of some instants; those with a failure are negative. */
function givesUp(stalledMs: number, instants: readonly number[]): readonly boolean[] {
  const { now } = performance;
  let fail = (_: Error): void => {};
  const subscribe = ({ onTrouble = () => {} }: SubscribeOptions) => {
    fail = onTrouble;
    return { close: () => {}, [Symbol.asyncIterator]: async function* () {} };
  };
  const { log, check } = watchForStall({ subscribe }, stalledMs);
  log.subscribe({ from: "start" });
  try {
    return instants.map((instant) => {
      performance.now = () => Math.abs(instant);
      if (instant < 0) fail(new Error("away"));
      try {
        check(null);
        return false;
      } catch (failure) {
        assert.instance(failure, LogStalled);
        return true;
      }
    });
  } finally {
    performance.now = now;
  }
}

test("gives up when the log has failed for the time, not before", () => {
  assert.equal(givesUp(15, [-1, -8, -15, 16, -16]), [false, false, false, false, true]);
});

test("takes failures with as long a pause between for separate ones", () => {
  assert.equal(givesUp(15, [-1, -16, -30]), [false, false, false]);
  assert.equal(givesUp(15, [-1, -15, -16]), [false, false, true]);
});

test.run();
