import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runnableAmong } from "../../../commands/reactors/runnable-work.ts";

const work = (appId: number, position: bigint) => ({ appId, position });
const [first, second, other] = [work(1, 10n), work(1, 30n), work(2, 20n)];

const runnable = suite("work that reads the facts as of a log position");

for (const [title, passed, undecided, expected] of [
  ["runs once the facts have passed its position and its targets are decided", 30n, [], [first, other, second]],
  ["waits for the facts to pass its position", 20n, [], [first, other]],
  ["waits for decisions of its app up to its position", 30n, [work(1, 25n)], [first, other]],
  ["waits for earlier work of an app with undecided targets, other apps do not", 30n, [work(1, 5n)], [other]],
] as const) {
  runnable(title, async () => {
    const found = await runnableAmong([second, other, first], {
      factsHavePassed: async (position) => position <= passed,
      hasUndecided: async (appId, position) =>
        undecided.some((target) => target.appId === appId && target.position <= position),
    });
    assert.equal([...found], expected);
  });
}

runnable("is not queried behind a position that the facts have not passed", async () => {
  const queried: bigint[] = [];
  await runnableAmong([second, other, first], {
    factsHavePassed: async (position) => queried.push(position) < 2,
    hasUndecided: async () => false,
  });
  assert.equal(queried, [10n, 20n]);
});

runnable.run();
