import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Attempt, GiveUpReason, Reactor } from "../../../commands/reactors/reactor.ts";
import { anyReactor, runReactors } from "../../../commands/reactors/runner.ts";
import { awakeReactor, testRuntime } from "./test-runtime.ts";

interface Task {
  readonly key: string;
  readonly appId: number;
}
type TestReactor = Reactor<Task, string>;

const startedAt = Date.parse("2026-03-31T12:00:00.000Z");
const noGiveUp = { initialBackoffMs: 1_000, maxBackoffMs: 4_000, giveUp: null };

/** A to-do list that the test changes, a reactor over it, and a clock that the test advances. */
function world(list: readonly Task[], { limits, ...changes }: Partial<TestReactor> = {}) {
  let now = startedAt;
  const done: { readonly key: string; readonly outcome: string }[] = [];
  const acted: string[] = [];
  const state = {
    list,
    looks: 0,
    act: async ({ key }: Task, _attempt: Attempt): Promise<string | null> => `done ${key}`,
  };
  const reactor: TestReactor = {
    name: "test",
    role: "test",
    list: "control",
    adds: () => true,
    open: async (max) => {
      state.looks += 1;
      return state.list.slice(0, max);
    },
    keyOf: ({ key }) => key,
    act: (task, attempt) => {
      acted.push(task.key);
      return state.act(task, attempt);
    },
    record: async ({ key }, outcome) => {
      done.push({ key, outcome });
      state.list = state.list.filter((task) => task.key !== key);
      return true;
    },
    giveUp: (_task, reason: GiveUpReason) => reason,
    retry: noGiveUp,
    limits: { maxConcurrent: 2, maxOpen: 100, ...limits },
    ...changes,
  };
  const runtime = testRuntime(() => new Date(now));
  const reactors = [awakeReactor(reactor)];
  const looksMore = (looks = 3) => {
    const before = state.looks;
    return () => state.looks >= before + looks;
  };
  return {
    ...runtime,
    state,
    reactor,
    done,
    acted,
    looksMore,
    outcomes: () => done.map(({ outcome }) => outcome),
    advance: (ms: number) => {
      now += ms;
    },
    /** The reported lag with this list. */
    lag: async (changed: readonly Task[]) => {
      state.list = changed;
      await runtime.until(looksMore());
      return runtime.lags.get("test");
    },
    start: (over = {}) => runtime.start(reactors, over),
    runUntil: (condition: () => boolean | Promise<boolean>) => runtime.runUntil(reactors, condition),
  };
}

const tasks = (...appIds: readonly number[]): readonly Task[] =>
  appIds.map((appId, index) => ({ appId, key: `${appId}.${index}` }));

async function failing(): Promise<never> {
  throw new Error("the database went away");
}

/** Work that lasts until the test ends it. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const runner = suite("the reactor runner");

runner("works off the list, and records each outcome", async () => {
  const { done, runUntil, failures } = world(tasks(1, 2, 1));
  await runUntil(() => done.length === 3);
  assert.equal(done.map(({ outcome }) => outcome).sort(), ["done 1.0", "done 1.2", "done 2.1"]);
  assert.equal(failures, []);
});

runner("does not start until the read models have passed the head of the log", async () => {
  const { state, done, start, until } = world(tasks(1));
  const queries: string[] = [];
  const head = { commit: 7n, prepare: 7n };
  const stop = start({
    log: { headPosition: async () => head },
    waitForPosition: async (group: string, position: unknown) => {
      assert.equal([position, state.looks], [head, 0]);
      queries.push(group);
      return queries.length !== 1;
    },
  });
  await until(() => done.length === 1);
  await stop();
  assert.equal(queries, ["control", "control", "facts"]);
});

/** A world whose second read of the list lasts until the test ends it; it has what the list had at its beginning. */
function slowlyReadWorld(list: readonly Task[], changes: Partial<TestReactor> = {}) {
  const read = gate();
  const given = world(list, {
    ...changes,
    open: async () => {
      const { state } = given;
      const listed = state.list;
      state.looks += 1;
      if (state.looks === 2) await read.opened;
      return listed;
    },
  });
  return { ...given, read };
}

runner("does not repeat work that ended while the list, which still has it, was read", async () => {
  const act = gate();
  const { state, acted, read, start, until, looksMore } = slowlyReadWorld(tasks(1));
  // Given work without an outcome, which takes itself off the list
  state.act = async () => {
    await act.opened;
    state.list = [];
    return null;
  };
  const stop = start();
  // When it ends during the second read
  await until(() => state.looks === 2);
  act.open();
  await delay(0);
  read.open();
  // Then the reads that follow find nothing to do
  await until(looksMore());
  await stop();
  assert.equal(acted, ["1.0"]);
});

runner("keeps later work of a lane waiting when the work before it fails while the list is read", async () => {
  const act = gate();
  const { state, acted, read, start, until, looksMore, failures } = slowlyReadWorld(tasks(1, 1), {
    laneOf: () => "lane",
  });
  state.act = async () => {
    await act.opened;
    return failing();
  };
  const stop = start();
  await until(() => state.looks === 2);
  act.open();
  await until(() => failures.length === 1);
  read.open();
  await until(looksMore());
  await stop();
  assert.equal(acted, ["1.0"]);
});

runner("pauses between reads of the list, however often it is woken", async () => {
  const pauseMs = 40;
  const reads: number[] = [];
  const open = async () => {
    reads.push(performance.now());
    return [];
  };
  const { runUntil } = world([], { open, limits: { maxConcurrent: 2, maxOpen: 100, pauseMs } });
  await runUntil(() => reads.length >= 5);
  const gaps = reads.slice(1).map((at, index) => at - (reads[index] ?? 0));
  // Timers count whole milliseconds, and may fire early by one.
  assert.ok(Math.min(...gaps) >= pauseMs - 3, String(gaps));
});

runner("starts a limited number after each read, and reads again for the others", async () => {
  const limits = { maxConcurrent: 5, maxStarts: 2, maxOpen: 100, pollMs: 1e6, pauseMs: 1 };
  const { state, reactor } = world(tasks(1, 2, 3, 4, 5), { limits });
  const startedAt: number[] = [];
  // None ends before all have started, and no commit wakes it.
  state.act = async ({ key }) => {
    startedAt.push(state.looks);
    while (startedAt.length < 5) await delay(1);
    return key;
  };
  const asleep = anyReactor({ ...reactor, adds: () => false });
  await testRuntime(() => new Date(0)).runUntil([asleep], () => state.list.length === 0);
  assert.equal(startedAt, [1, 1, 2, 2, 3]);
});

runner("limits concurrency, apps in turn", async () => {
  const { state, acted, runUntil } = world(tasks(1, 1, 1, 2, 3));
  let [underWay, max] = [0, 0];
  state.act = async ({ key }) => {
    underWay += 1;
    max = Math.max(max, underWay);
    while (acted.length < 2) await delay(1);
    await delay(5);
    underWay -= 1;
    return key;
  };
  await runUntil(() => state.list.length === 0);
  assert.equal([max, acted.slice(0, 3).sort()], [2, ["1.0", "2.3", "3.4"]]);
});

runner("does the work of one lane in the order of the list", async () => {
  const { state, acted, runUntil } = world(tasks(1, 1, 2, 1), {
    laneOf: ({ appId }) => String(appId),
    limits: { maxConcurrent: 8, maxOpen: 9 },
  });
  const underWay: number[] = [];
  state.act = async ({ appId, key }) => {
    assert.is(underWay.includes(appId), false);
    underWay.push(appId);
    await delay(2);
    underWay.splice(underWay.indexOf(appId), 1);
    return key;
  };
  await runUntil(() => state.list.length === 0);
  assert.equal(
    acted.filter((key) => key.startsWith("1")),
    ["1.0", "1.1", "1.3"],
  );
});

runner("does no later work of a lane while earlier work of it waits for its retry", async () => {
  const { state, acted, until, start, looksMore, advance } = world(tasks(1, 1, 2), {
    laneOf: ({ appId }) => String(appId),
    limits: { maxConcurrent: 8, maxOpen: 9 },
  });
  state.act = async ({ key }) => {
    if (acted.filter((one) => one === "1.0").length === 1 && key === "1.0") throw new Error("the store is away");
    return key;
  };
  const stop = start();
  await until(looksMore(5));
  const actedMeanwhile = [...acted];
  advance(1_000);
  await until(() => state.list.length === 0);
  await stop();
  assert.equal(actedMeanwhile, ["1.0", "2.2"]);
  assert.equal(acted, ["1.0", "2.2", "1.0", "1.1"]);
});

runner("ignores recorded work that the list still shows, for a minute", async () => {
  const recorded: string[] = [];
  const { acted, until, start, looksMore, advance } = world(tasks(1), {
    record: async ({ key }) => recorded.push(key) > 0,
  });
  const stop = start();
  await until(looksMore(5));
  assert.equal(acted, ["1.0"]);
  advance(59_999);
  await until(looksMore());
  assert.equal(acted, ["1.0"]);
  advance(1);
  await until(() => recorded.length === 2);
  await stop();
  assert.equal(acted, ["1.0", "1.0"]);
});

runner("repeats work that was not done or not recorded", async () => {
  const recorded: string[] = [];
  const { state, acted, runUntil, failures } = world(tasks(1), { record: async ({ key }) => recorded.push(key) > 1 });
  state.act = async ({ key }) => (acted.length === 1 ? null : key);
  await runUntil(() => recorded.length === 2);
  assert.equal([acted, recorded, failures], [Array(3).fill("1.0"), ["1.0", "1.0"], []]);
});

runner("retries failed work after growing pauses, while other work continues", async () => {
  const { state, done, acted, start, until, looksMore, advance, failures } = world(tasks(1, 2));
  const failure = new Error("the database went away");
  state.act = async ({ key }) => {
    if (key === "1.0" && failures.length < 4) throw failure;
    return key;
  };
  const stop = start();
  await until(() => done.length === 1 && failures.length === 1);
  for (const [failed, pauseMs] of [1_000, 2_000, 4_000, 4_000].entries()) {
    advance(pauseMs - 1);
    await until(looksMore());
    assert.is(failures.length, failed + 1);
    advance(1);
    await until(() => failures.length === failed + 2 || done.length === 2);
  }
  await stop();
  assert.equal(failures, Array(4).fill([failure, "1.0"]));
  assert.equal(acted.filter((key) => key === "1.0").length, 5);
});

runner("retries by the monotonic clock", async () => {
  const { state, failures, done, start, until } = world(tasks(1), { retry: { ...noGiveUp, initialBackoffMs: 1 } });
  let clock = startedAt;
  state.act = async ({ key }) => {
    clock -= 3_600_000;
    return failures.length === 0 ? failing() : key;
  };
  const stop = start({ now: () => new Date(clock), elapsed: () => performance.now() });
  await until(() => done.length === 1);
  await stop();
  assert.is(failures.length, 1);
});

runner("does other work while more work than one read lists waits for its retry", async () => {
  const { state, outcomes, runUntil } = world(tasks(1, 1, 1, 1, 1, 2), { limits: { maxConcurrent: 2, maxOpen: 2 } });
  state.act = async ({ key, appId }) => (appId === 1 ? failing() : key);
  await runUntil(() => outcomes().length === 1);
  assert.equal(outcomes(), ["2.5"]);
});

for (const [what, pauses] of [
  ["often enough, once it has failed for long enough", [1_000, 2_000, 57_000]],
  ["for long enough, once it has failed often enough", [60_000, 2_000]],
] as const) {
  runner(`gives up what has failed ${what}`, async () => {
    const giveUp = { failures: 3, afterMs: 60_000 };
    const { state, outcomes, start, until, advance, failures } = world(tasks(1), { retry: { ...noGiveUp, giveUp } });
    state.act = failing;
    const stop = start();
    for (const [index, ms] of pauses.entries()) {
      await until(() => failures.length === index + 1);
      assert.equal(outcomes(), []);
      advance(ms);
    }
    await until(() => outcomes().length === 1);
    await stop();
    assert.equal([outcomes(), failures.length], [["internal_error"], pauses.length + 1]);
  });
}

runner("never gives up work without an outcome for giving up", async () => {
  const { state, outcomes, start, until, advance, failures } = world(tasks(1), {
    giveUp: () => null,
    retry: { ...noGiveUp, giveUp: { failures: 1, afterMs: 0 } },
  });
  state.act = failing;
  const stop = start();
  await until(() => {
    advance(4_000);
    return failures.length > 5;
  });
  await stop();
  assert.equal(outcomes(), []);
});

runner("gives up work that has not become runnable in time, counted from each start", async () => {
  const { outcomes, acted, start, until, looksMore, advance } = world(tasks(1), {
    runnable: async () => new Set(),
    limits: { maxConcurrent: 2, maxOpen: 9, waitMs: 60_000 },
  });
  const first = start();
  await until(looksMore());
  advance(59_999);
  await until(looksMore());
  await first();
  const second = start();
  await until(looksMore());
  advance(59_999);
  await until(looksMore());
  assert.equal(outcomes(), []);
  advance(1);
  await until(() => outcomes().length === 1);
  await second();
  assert.equal([outcomes(), acted], [["facts_behind"], []]);
});

runner("does other work while some is not runnable", async () => {
  const { outcomes, runUntil } = world(tasks(1, 2), {
    runnable: async (open) => new Set(open.filter(({ appId }) => appId === 2)),
  });
  await runUntil(() => outcomes().length === 1);
  assert.equal(outcomes(), ["done 2.1"]);
});

runner("continues after its list could not be read", async () => {
  const failure = new Error("the database went away");
  const { reactor, done, until, failures, runtime } = world(tasks(1), { retry: { ...noGiveUp, initialBackoffMs: 1 } });
  const stopping = new AbortController();
  const open: TestReactor["open"] = async (max) => {
    if (failures.length < 3) throw failure;
    return reactor.open(max);
  };
  const running = anyReactor({ ...reactor, open }).run(runtime, { epoch: 1n, signal: stopping.signal });
  await until(() => done.length === 1);
  stopping.abort();
  await running;
  assert.equal(failures, Array(3).fill([failure, null]));
});

runner("reads its list on schedule until it is stopped", async () => {
  const { state, reactor, runtime } = world([]);
  const scheduled = new Map<string, () => void>();
  const onSchedule: typeof runtime.onSchedule = (expression, listener) => {
    scheduled.set(expression, listener);
    return () => scheduled.delete(expression);
  };
  const stopping = new AbortController();
  const running = anyReactor({
    ...reactor,
    schedule: "17 * * * *",
    limits: { ...reactor.limits, pollMs: 3_600_000 },
  }).run({ ...runtime, onSchedule }, { epoch: 1n, signal: stopping.signal });
  while (state.looks < 1) await delay(1);
  scheduled.get("17 * * * *")?.();
  while (state.looks < 2) await delay(1);
  stopping.abort();
  await running;
  assert.equal([...scheduled], []);
});

runner("polls its list less often where commits wake it", async () => {
  const [beside, elsewhere] = [world([]), world([])];
  const stops = [beside.start({ runsProjections: () => true }), elsewhere.start()];
  while (beside.state.looks < 2) await delay(1);
  assert.ok(elsewhere.state.looks > 2, `${elsewhere.state.looks}`);
  for (const stop of stops) await stop();
});

runner("reads its list when an event adds to it, when work may have become runnable, and at intervals", async () => {
  const { state, reactor, runtime } = world([]);
  const wakes: ((group: string, type: string) => void)[] = [];
  const onCommit: typeof runtime.onCommit = (listener) => {
    wakes.push((group, type) => listener(group, [{ type }] as never));
    return () => {};
  };
  const looked = async (looks: number): Promise<number> => {
    const since = performance.now();
    while (state.looks < looks) await delay(1);
    return performance.now() - since;
  };
  const stopping = new AbortController();
  const running = anyReactor({
    ...reactor,
    adds: ({ type }) => type === "ClickRecorded",
    runnable: async () => new Set<Task>(),
  }).run({ ...runtime, onCommit }, { epoch: 1n, signal: stopping.signal });
  await looked(1);
  const [wake] = wakes;
  wake?.("control", "ClickRecorded");
  assert.ok((await looked(2)) < 400, "an event that adds");
  for (const [group, type] of [
    ["control", "Other"],
    ["facts", "ClickRecorded"],
  ] as const) {
    wake?.(group, type);
  }
  state.list = tasks(1);
  assert.ok((await looked(3)) > 300, "an event that does not");
  wake?.("facts", "Other");
  assert.ok((await looked(4)) < 400, "facts that may make work runnable");
  stopping.abort();
  await running;
});

runner("aborts canceled work, and records no outcome", async () => {
  const canceled: string[] = [];
  const { state, done, start, until, failures } = world(tasks(1), {
    canceledAmong: async (keys) => keys.filter((key) => canceled.includes(key)),
  });
  let aborted = 0;
  state.act = (_task, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        aborted += 1;
        state.list = [];
        reject(signal.reason);
      });
      canceled.push("1.0");
    });
  const stop = start();
  await until(() => aborted === 1);
  await stop();
  assert.equal([done, failures], [[], []]);
});

runner("lets work finish after a stop as long as its reactor allows, then aborts it", async () => {
  const { state, done, start, until } = world(tasks(1, 2), { limits: { maxConcurrent: 2, maxOpen: 9, finishMs: 200 } });
  const aborts: string[] = [];
  const { open, opened } = gate();
  state.act = ({ key }, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        aborts.push(key);
        resolve(null);
      });
      if (key === "1.0") void opened.then(() => resolve(key));
    });
  const stop = start();
  await until(() => state.looks > 0);
  const stopped = stop();
  open();
  await stopped;
  assert.equal([done.map(({ key }) => key), aborts], [["1.0"], ["1.0", "2.1"]]);
});

runner("leaves work that does not end to the next holder of the role, after 2 s", async () => {
  const { state, start, acted, until } = world(tasks(1));
  state.act = () => new Promise(() => undefined);
  const stop = start();
  await until(() => acted.length === 1);
  const since = performance.now();
  await stop();
  const ms = performance.now() - since;
  assert.ok(ms > 1_900 && ms < 5_000, `${ms} ms`);
});

runner("leaves its role while a read of the list hangs, and starts nothing of it", async () => {
  const read = gate();
  const { state, start, acted, until } = world(tasks(1), {
    open: async () => {
      state.looks += 1;
      await read.opened;
      return state.list;
    },
  });
  const stop = start();
  await until(() => state.looks === 1);
  await stop();
  read.open();
  await delay(0);
  assert.equal(acted, []);
});

runner("reports the age of the oldest work, from when it was added or first seen", async () => {
  const { start, lag, advance } = world([], {
    runnable: async () => new Set(),
    since: ({ appId }) => new Date(startedAt - (appId === 2 ? 5_000 : 0)),
  });
  const stop = start();
  assert.is(await lag([]), 0);
  assert.is(await lag(tasks(1)), 0);
  advance(1_500);
  assert.is(await lag(tasks(1)), 1.5);
  assert.is(await lag(tasks(1, 2)), 6.5);
  assert.is(await lag([]), 0);
  await stop();
});

runner("reports the age of the oldest work that is still open, however long the list has not been empty", async () => {
  const { start, lag, advance } = world([], { runnable: async () => new Set() });
  const stop = start();
  const [first, second] = tasks(1, 2);
  if (first === undefined || second === undefined) throw new Error("two tasks are needed");
  assert.is(await lag([first]), 0);
  advance(1_500);
  assert.is(await lag([first, second]), 1.5);
  assert.is(await lag([second]), 0);
  advance(2_000);
  assert.is(await lag([second]), 2);
  await stop();
});

runner("reports no lag once another process may have its role", async () => {
  const { lags, start, lag } = world([], { runnable: async () => new Set() });
  const stop = start();
  assert.is(await lag(tasks(1)), 0);
  await stop();
  assert.is(lags.has("test"), false);
});

runner("rests after work, in proportion to the time that it took", async () => {
  const { state, acted, runUntil } = world(tasks(1, 1), { limits: { maxConcurrent: 1, maxOpen: 9, restFactor: 3 } });
  const times: number[] = [];
  state.act = async ({ key }) => {
    times.push(performance.now());
    await delay(30);
    return key;
  };
  await runUntil(() => acted.length === 2);
  const [first = 0, second = 0] = times;
  assert.ok(second - first >= 110, `${second - first} ms`);
});

runner("runs reactors of the same role while this process holds it", async () => {
  const { reactor, runtime } = world([]);
  const held: string[] = [];
  const roleOf = (role: string) => anyReactor({ ...reactor, role });
  const runAsLeader: typeof runtime.runAsLeader = async (role, stop, work) => {
    held.push(role);
    await work({ epoch: 3n, signal: stop });
  };
  await runReactors([roleOf("a"), roleOf("b"), roleOf("a")], { ...runtime, runAsLeader }, AbortSignal.abort());
  assert.equal(held, ["a", "b"]);
});

runner.run();
