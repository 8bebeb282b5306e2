import { mock } from "node:test";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createKeyedMutex } from "../../commands/mutex.ts";
import { errorOf } from "../infra/event-log/event-log-client.ts";

/** Runs of a mutex that the test ends, in the order in which they began. */
function controlledRuns(maxStallMs?: number) {
  const mutex = createKeyedMutex(maxStallMs);
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

mutexes("runs all that wait beside one when none has ended for the longest time", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const { begun, run, end } = controlledRuns(100);
    run("a", "first");
    const [second] = [run("a", "second"), run("a", "stuck"), run("a", "third"), run("a", "fourth")];
    mock.timers.tick(99);
    end("first", "1");
    await new Promise(setImmediate);
    mock.timers.tick(99);
    assert.equal(begun, ["first", "second"]);
    end("second", "2");
    assert.is(await second, "2");
    await new Promise(setImmediate);
    mock.timers.tick(99);
    assert.equal(begun, ["first", "second", "stuck"]);
    mock.timers.tick(1);
    await new Promise(setImmediate);
    assert.equal(begun, ["first", "second", "stuck", "third", "fourth"]);
    // One after the other again once these have ended
    run("a", "fifth");
    for (const name of ["third", "stuck"]) end(name, name);
    await new Promise(setImmediate);
    assert.is(begun.includes("fifth"), false);
    end("fourth", "4");
    await new Promise(setImmediate);
    assert.equal(begun.at(-1), "fifth");
  } finally {
    mock.timers.reset();
  }
});

mutexes("lets 1,000 functions of a key wait, and runs further ones beside the others", async () => {
  const { begun, run, end } = controlledRuns();
  for (const name of ["first", ...Array.from({ length: 1_000 }, (_, number) => `waiting ${number}`)]) run("a", name);
  assert.equal(begun, ["first"]);
  run("a", "beside");
  assert.equal(begun, ["first", "beside"]);
  end("beside", "done");
  await new Promise(setImmediate);
  assert.equal(begun, ["first", "beside"]);
  end("first", "done");
  await new Promise(setImmediate);
  assert.equal(begun, ["first", "beside", "waiting 0"]);
});

mutexes.run();
