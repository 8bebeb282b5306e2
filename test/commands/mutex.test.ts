import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createKeyedMutex } from "../../commands/mutex.ts";
import { errorOf } from "../infra/event-log/event-log-client.ts";

/** Runs of a mutex that the test ends, in the order in which they began. */
function controlledRuns(maxWaitMs?: number) {
  const mutex = createKeyedMutex(maxWaitMs);
  const begun: string[] = [];
  const ends = new Map<string, (outcome: string | Error) => void>();
  const run = (key: string, name: string) =>
    mutex(key, () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)));
      });
    });
  return { begun, run, end: (name: string, outcome: string | Error) => ends.get(name)?.(outcome) };
}

const mutexes = suite("a keyed mutex");

mutexes("runs functions of one key one after the other, each with its own outcome", async () => {
  const { begun, run, end } = controlledRuns();
  const [first, second, third] = [run("a", "first"), run("a", "second"), run("a", "third")];
  assert.equal(begun, ["first"]);
  const failure = new Error("failed");
  end("first", failure);
  assert.is(await errorOf(first), failure);
  await new Promise(setImmediate);
  assert.equal(begun, ["first", "second"]);
  end("second", "2");
  assert.is(await second, "2");
  await new Promise(setImmediate);
  end("third", "3");
  assert.is(await third, "3");
  assert.equal(begun, ["first", "second", "third"]);
});

mutexes("runs functions of different keys beside each other, and at once when none runs", async () => {
  const { begun, run, end } = controlledRuns();
  const [first] = [run("a", "first"), run("b", "other")];
  end("first", "1");
  await first;
  run("a", "second");
  assert.equal(begun, ["first", "other", "second"]);
});

mutexes("runs a function beside one that has not ended in time", async () => {
  const { begun, run, end } = controlledRuns(5);
  run("a", "stuck");
  const second = run("a", "second");
  while (begun.length < 2) await new Promise(setImmediate);
  end("second", "2");
  assert.is(await second, "2");
});

mutexes.run();
