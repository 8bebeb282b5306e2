import { suite } from "uvu";
import * as assert from "uvu/assert";
import { lifecycleOf, openingPart, type Part } from "../../../infra/process/lifecycle.ts";
import { openLogger } from "../../../infra/process/log.ts";

const log = openLogger("silent");

/** A part that records its starts and stops. */
function recordingPart(name: string, calls: string[], how: Partial<Part> = {}): Part {
  return {
    name,
    start: async () => {
      calls.push(`start ${name}`);
    },
    stop: async () => {
      calls.push(`stop ${name}`);
    },
    ...how,
  };
}

const parts = suite("the parts");

parts("start in order and stop in reverse, once", async () => {
  const calls: string[] = [];
  const lifecycle = lifecycleOf([recordingPart("a", calls), recordingPart("b", calls), recordingPart("c", calls)], log);
  assert.is(await lifecycle.start(), true);
  await Promise.all([lifecycle.stop(), lifecycle.stop()]);
  await lifecycle.stop();
  assert.equal(calls, ["start a", "start b", "start c", "stop c", "stop b", "stop a"]);
});

parts("are ready once all have started, until the first one stops", async () => {
  const seen: boolean[] = [];
  const observe = async (): Promise<void> => {
    seen.push(lifecycle.ready());
  };
  const lifecycle = lifecycleOf([recordingPart("a", [], { start: observe, stop: observe })], log);
  await lifecycle.start();
  await observe();
  await lifecycle.stop();
  assert.equal(seen, [false, true, false]);
});

parts("that have started are stopped when a later one fails", async () => {
  const calls: string[] = [];
  const fails = async (): Promise<void> => {
    throw new Error("no port");
  };
  const lifecycle = lifecycleOf(
    [recordingPart("a", calls), recordingPart("b", calls, { start: fails }), recordingPart("c", calls)],
    log,
  );
  const failure = await lifecycle.start().then(String, String);
  assert.is(failure, "Error: no port");
  assert.equal(calls, ["start a", "stop a"]);
  assert.is(lifecycle.ready(), false);
});

parts("stop, and start no further ones, when stopped during the start", async () => {
  const calls: string[] = [];
  let stopped: Promise<void> | null = null;
  const stopWhileStarting = async (): Promise<void> => {
    calls.push("start b");
    stopped = lifecycle.stop();
  };
  const lifecycle = lifecycleOf(
    [recordingPart("a", calls), recordingPart("b", calls, { start: stopWhileStarting }), recordingPart("c", calls)],
    log,
  );
  assert.is(await lifecycle.start(), false);
  await stopped;
  assert.equal(calls, ["start a", "start b", "stop b", "stop a"]);
});

parts("are all stopped although one fails to", async () => {
  const calls: string[] = [];
  const fails = async (): Promise<void> => {
    throw new Error("stuck");
  };
  const lifecycle = lifecycleOf([recordingPart("a", calls), recordingPart("b", calls, { stop: fails })], log);
  await lifecycle.start();
  await lifecycle.stop();
  assert.equal(calls, ["start a", "start b", "stop a"]);
});

parts.run();

const opening = suite("a part that opens something");

opening("is available to others from its start to its stop", async () => {
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
