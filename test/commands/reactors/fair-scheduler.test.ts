import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createFairScheduler } from "../../../commands/reactors/fair-scheduler.ts";

const turns = suite("turns of apps");

const waitingOf = (...appIds: readonly (number | null)[]) =>
  appIds.map((appId, index) => ({ appId, name: `${appId}.${index}` }));
/** Who gets `count` turns, one after the other has ended, with `running` all the while. */
const order = (waiting: ReturnType<typeof waitingOf>, count: number, running: readonly number[] = []) => {
  const { next } = createFairScheduler();
  const left = [...waiting];
  return Array.from({ length: count }, () => {
    const item = next(
      left,
      running.map((appId) => ({ appId })),
    );
    if (item !== null) left.splice(left.indexOf(item), 1);
    return item?.name ?? null;
  });
};

turns("go around, each app's oldest first", () => {
  assert.equal(order(waitingOf(1, 1, 1, 2, 2, 3), 7), ["1.0", "2.3", "3.5", "1.1", "2.4", "1.2", null]);
});

turns("all go to one app while no other waits", () => {
  assert.equal(order(waitingOf(1, 1, 1), 3, [1]), ["1.0", "1.1", "1.2"]);
});

turns("of work of all apps come as those of one more app", () => {
  assert.equal(order(waitingOf(1, 1, null, null), 4), ["1.0", "null.2", "1.1", "null.3"]);
});

turns("skip an app with running work while another waits", () => {
  assert.equal(order(waitingOf(1, 1, 2, 2), 3, [1]), ["2.2", "2.3", "1.0"]);
});

turns("keep their order after all work has ended", () => {
  const { next } = createFairScheduler();
  assert.equal(next(waitingOf(1), []), { appId: 1, name: "1.0" });
  assert.is(next([], []), null);
  assert.equal(next(waitingOf(1, 2), []), { appId: 2, name: "2.1" });
  assert.equal(next(waitingOf(2, 1), []), { appId: 1, name: "1.1" });
});

turns("within an app go around its tokens, after those of apps", () => {
  const { next } = createFairScheduler();
  const left = [
    ...["partner", "partner", "partner", "owner"].map((requestedBy, index) => ({ appId: 1, requestedBy, index })),
    { appId: 2, requestedBy: "partner", index: 4 },
  ];
  const order = Array.from({ length: 5 }, () => {
    const work = next(left, []);
    if (work !== null) left.splice(left.indexOf(work), 1);
    return work?.index;
  });
  assert.equal(order, [0, 4, 3, 1, 2]);
});

// An app and a token take two places.
for (const [maxServed, name, chosen] of [
  [8, "one app more", "4.1"],
  [6, "as many", "4.1"],
  [4, "one app less", "1.0"],
] as const) {
  turns(`are remembered for as many apps and tokens as there is room for: ${name}`, () => {
    const { next } = createFairScheduler(maxServed);
    for (const appId of [1, 2, 3]) next(waitingOf(appId), []);
    assert.is(next(waitingOf(1, 4), [])?.name, chosen);
  });
}

turns.run();
