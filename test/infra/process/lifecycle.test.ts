import { suite } from "uvu";
import * as assert from "uvu/assert";
import { lifecycleOf, openingPart, type Part } from "../../../infra/process/lifecycle.ts";
import { openLog } from "../../../infra/process/log.ts";

const log = openLog("silent");

/** A part that tells what happens to it. */
function told(name: string, story: string[], how: Partial<Part> = {}): Part {
  return {
    name,
    start: async () => {
      story.push(`start ${name}`);
    },
    stop: async () => {
      story.push(`stop ${name}`);
    },
    ...how,
  };
}

const parts = suite("the parts");

parts("start in order and stop in reverse, once", async () => {
  const story: string[] = [];
  const lifecycle = lifecycleOf([told("a", story), told("b", story), told("c", story)], log);
  assert.is(await lifecycle.start(), true);
  await Promise.all([lifecycle.stop(), lifecycle.stop()]);
  await lifecycle.stop();
  assert.equal(story, ["start a", "start b", "start c", "stop c", "stop b", "stop a"]);
});

parts("are ready from when all run to the first moment of stopping", async () => {
  const seen: boolean[] = [];
  const look = async (): Promise<void> => {
    seen.push(lifecycle.ready());
  };
  const lifecycle = lifecycleOf([told("a", [], { start: look, stop: look })], log);
  await lifecycle.start();
  await look();
  await lifecycle.stop();
  assert.equal(seen, [false, true, false]);
});

parts("that had started are stopped when a later one fails", async () => {
  const story: string[] = [];
  const fails = async (): Promise<void> => {
    throw new Error("no port");
  };
  const lifecycle = lifecycleOf([told("a", story), told("b", story, { start: fails }), told("c", story)], log);
  const failure = await lifecycle.start().then(String, String);
  assert.is(failure, "Error: no port");
  assert.equal(story, ["start a", "stop a"]);
  assert.is(lifecycle.ready(), false);
});

parts("are stopped, and no further ones started, by a stop while they start", async () => {
  const story: string[] = [];
  let stopped: Promise<void> | null = null;
  const isAsked = async (): Promise<void> => {
    story.push("start b");
    stopped = lifecycle.stop();
  };
  const lifecycle = lifecycleOf([told("a", story), told("b", story, { start: isAsked }), told("c", story)], log);
  assert.is(await lifecycle.start(), false);
  await stopped;
  assert.equal(story, ["start a", "start b", "stop b", "stop a"]);
});

parts("are all stopped, although one cannot", async () => {
  const story: string[] = [];
  const fails = async (): Promise<void> => {
    throw new Error("stuck");
  };
  const lifecycle = lifecycleOf([told("a", story), told("b", story, { stop: fails })], log);
  await lifecycle.start();
  await lifecycle.stop();
  assert.equal(story, ["start a", "start b", "stop a"]);
});

parts.run();

const opening = suite("a part that opens something");

opening("gives it to others from its start to its stop", async () => {
  const closed: string[] = [];
  const part = openingPart(
    "store",
    async () => "open",
    async (opened) => {
      closed.push(opened);
    },
  );
  assert.throws(part.opened, /"store" has not started/);
  await part.start();
  assert.is(part.opened(), "open");
  await part.stop(AbortSignal.timeout(1_000));
  assert.throws(part.opened, /"store" has not started/);
  assert.equal(closed, ["open"]);
});

opening.run();
