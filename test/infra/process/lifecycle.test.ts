import { suite } from "uvu";
import * as assert from "uvu/assert";
import { endOnSignals, lifecycleOf, openingPart, type Part } from "../../../infra/process/lifecycle.ts";
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

for (const [title, names] of [
  ["and start no further ones, when stopped during the start", ["a", "b", "c"]],
  ["and do not count as started, when stopped during the start of the last one", ["a", "b"]],
] as const) {
  parts(`stop, ${title}`, async () => {
    const calls: string[] = [];
    let stopped: Promise<void> | null = null;
    const stopWhileStarting = async (): Promise<void> => {
      calls.push("start b");
      stopped = lifecycle.stop();
    };
    const partOf = (name: string): Part => recordingPart(name, calls, name === "b" ? { start: stopWhileStarting } : {});
    const lifecycle = lifecycleOf(names.map(partOf), log);
    assert.is(await lifecycle.start(), false);
    await stopped;
    assert.equal(calls, ["start a", "start b", "stop b", "stop a"]);
  });
}

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

const ending = suite("a process that is told to end");

/** Exit codes after signals at some milliseconds, and then that of a stop which took too long or has ended. */
async function exitCodes(
  signals: readonly (readonly [ms: number, signal: NodeJS.Signals])[],
  stop: "ends" | "hangs",
): Promise<readonly unknown[]> {
  const codes: unknown[] = [];
  const { exit } = process;
  const { now } = performance;
  const { setTimeout } = globalThis;
  let time = 0;
  let endStop = (): void => {};
  let deadline = (): void => {};
  process.exit = ((code: number) => codes.push(code)) as never;
  performance.now = () => time;
  globalThis.setTimeout = ((action: () => void, ms: number) => {
    deadline = () => action();
    codes.push(`within ${ms} ms`);
  }) as never;
  const handled = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  try {
    endOnSignals(() => new Promise<void>((resolve) => (endStop = resolve)), log);
    const handlers = new Map(handled.map((signal) => [signal as NodeJS.Signals, process.listeners(signal).at(-1)]));
    for (const [ms, signal] of signals) {
      time = ms;
      handlers.get(signal)?.(signal);
    }
    if (stop === "ends") endStop();
    else deadline();
    await new Promise(setImmediate);
    for (const [signal, handler] of handlers) if (handler !== undefined) process.off(signal, handler);
  } finally {
    process.exit = exit;
    performance.now = now;
    globalThis.setTimeout = setTimeout;
  }
  return codes;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  ending(`by ${signal} stops first, for 40 s at most`, async () => {
    assert.equal(await exitCodes([[0, signal]], "ends"), ["within 40000 ms", 0]);
    assert.equal(await exitCodes([[0, signal]], "hangs"), ["within 40000 ms", 1]);
  });
}

ending("ends at once with a second signal, unless that is the first one repeated", async () => {
  const first = [0, "SIGINT"] as const;
  assert.equal(await exitCodes([first, [500, "SIGINT"]], "ends"), ["within 40000 ms", 0]);
  assert.equal(await exitCodes([first, [501, "SIGINT"]], "hangs"), ["within 40000 ms", 130, 1]);
  assert.equal(await exitCodes([first, [501, "SIGTERM"]], "hangs"), ["within 40000 ms", 143, 1]);
});

ending.run();
