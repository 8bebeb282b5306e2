import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createEngineTables } from "../../../../projections/engine/engine-tables.ts";
import { runAsLeader } from "../../../../projections/engine/leader/leader-election.ts";
import { whileLogResponds } from "../../../../projections/engine/leader/while-log-responds.ts";
import { whenAborted } from "../../../../projections/waiting.ts";
import { openEngine } from "../engine.ts";
import { silentEngineLog } from "../engine-log.ts";

const test = suite("the work of a leader");
const never = new AbortController().signal;

test("is not begun while the event log does not respond", async () => {
  let isBegun = false;
  const begin = async (): Promise<void> => {
    isBegun = true;
  };
  const log = { headPosition: () => Promise.reject(new Error("away")) };
  const failure = await whileLogResponds(log, begin)({ epoch: 1n, signal: never }).then(() => "ended", String);
  assert.equal([failure, isBegun], ["Error: away", false]);
});

for (const [how, unanswered] of [
  ["fails", () => Promise.reject(new Error("away"))],
  ["is silent", () => new Promise<never>(() => {})],
] as const) {
  test(`goes on while the event log responds, and ends when it ${how}`, async () => {
    let calls = 0;
    const headPosition = (): Promise<null> => {
      calls += 1;
      return calls < 4 ? Promise.resolve(null) : unanswered();
    };
    const work = whileLogResponds({ headPosition }, ({ signal }) => whenAborted(signal), 20);
    const failure = await work({ epoch: 1n, signal: never }).then(() => "ended", String);
    assert.is(failure, "Error: The event store has not responded for 0.02 s.");
    assert.ok(calls >= 4, `after ${calls} calls`);
  });
}

test("ends with the leadership, and with the work itself", async () => {
  const log = { headPosition: async () => null };
  await whileLogResponds(log, async () => {})({ epoch: 1n, signal: never });
  const lost = new AbortController();
  const led = whileLogResponds(log, ({ signal }) => whenAborted(signal))({ epoch: 1n, signal: lost.signal });
  lost.abort();
  await led;
});

test("goes to a process that reaches the event store, when that of the leader does not", async () => {
  const engine = await openEngine();
  await createEngineTables(engine.db);
  const stop = new AbortController();
  let isAway = false;
  const led: string[] = [];
  const lead = (process: string, headPosition: () => Promise<null>) => {
    const work = whileLogResponds(
      { headPosition },
      async ({ signal }) => {
        led.push(process);
        if (process === "first") isAway = true;
        else stop.abort();
        await whenAborted(signal);
      },
      20,
    );
    return runAsLeader(engine.db, "reporter", stop.signal, silentEngineLog, work);
  };
  const first = lead("first", () => (isAway ? Promise.reject(new Error("away")) : Promise.resolve(null)));
  while (led.length === 0) await new Promise(setImmediate);
  await Promise.all([first, lead("second", async () => null)]);
  assert.equal(led, ["first", "second"]);
  await engine.close();
});

test.run();
