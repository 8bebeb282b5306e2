// time limit: 10 s
import { setTimeout as pause } from "node:timers/promises";
import { Registry } from "prom-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { FreeSpace } from "../../../infra/data-directory/free-space.ts";
import { EventLogRefused, EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { type ReadModelHealth, watchHealth } from "../../../infra/process/health.ts";
import { TimeLimitExceeded } from "../../../infra/process/time-limit.ts";

/** After which a store is taken for hung. */
const checkTimeoutMs = 3_000;
const group = { group: "facts", lagPositions: 0n, lagSeconds: 0, failing: null };
const healthy: ReadModelHealth = {
  groups: [group],
  unreadable: [],
  parked: 0,
  isDegraded: false,
  isRunning: true,
  hasLeader: true,
};
const lagging = (lagSeconds: number): ReadModelHealth => ({ ...healthy, groups: [{ ...group, lagSeconds }] });

/** Readiness after one check, of a process that serves requests and of one that only works. */
async function readinessOf(health: ReadModelHealth, disk: FreeSpace = { hasRoomFor: () => true }) {
  const found = [];
  for (const servesRequests of [true, false]) {
    const registry = new Registry();
    const watched = watchHealth({ check: async () => health, isUp: () => true, servesRequests, disk, registry });
    watched.start();
    while (watched.readiness().checks.stores?.detail === "not checked yet") await new Promise(setImmediate);
    await watched.stop();
    const { ready, checks } = watched.readiness();
    found.push([ready, checks["read models"]?.detail ?? null]);
  }
  return { serving: found[0], working: found[1] };
}

const readiness = suite("readiness");

const leaderless = "degraded; no process runs the projections";
for (const [title, health, serving, working] of [
  ["all is well", healthy, [true, null], [true, null]],
  ["the projections lag by 60 s", lagging(60), [true, null], [true, null]],
  [
    "the projections lag by more",
    lagging(60.5),
    [true, "degraded; projection group facts is 60 s behind"],
    [false, "degraded; projection group facts is 60 s behind"],
  ],
  ["no process runs the projections", { ...healthy, hasLeader: false }, [true, leaderless], [false, leaderless]],
  ["events are parked", { ...healthy, parked: 2, isDegraded: true }, ...repeated([true, "degraded; 2 events parked"])],
  ["a read model cannot be read", { ...healthy, unreadable: ["facts"] }, ...repeated([false, "cannot be read: facts"])],
  [
    "another process has yet to build a read model",
    { ...healthy, unreadable: ["facts"], isRunning: false },
    [false, "cannot be read: facts"],
    [true, null],
  ],
] as const) {
  readiness(`of a process that serves requests, and of one that does not, while ${title}`, async () => {
    assert.equal(await readinessOf(health), { serving, working });
  });
}

readiness("of any process while its disk is nearly full: not ready", async () => {
  const full = await readinessOf(healthy, { hasRoomFor: () => false });
  assert.equal(full, { serving: [false, null], working: [false, null] });
});

readiness("of any process whose data directory is gone: not ready", async () => {
  const gone = (): never => {
    throw new Error("ENOENT");
  };
  const lost = await readinessOf(healthy, { hasRoomFor: gone });
  assert.equal(lost, { serving: [false, null], working: [false, null] });
});

for (const [detail, failure] of [
  ["the event store does not respond", new EventLogUnavailable("no leader")],
  ["the event store refuses the user of EVENTSTORE_URL", new EventLogRefused("16 UNAUTHENTICATED")],
  ["the database does not respond", new Error("Connection terminated")],
  ["the event store or the database does not respond", new TimeLimitExceeded("No result within 3000 ms")],
] as const) {
  readiness(`says that ${detail}`, async () => {
    const check = () => Promise.reject(failure);
    const disk = { hasRoomFor: () => true };
    const watched = watchHealth({ check, isUp: () => true, servesRequests: true, disk, registry: new Registry() });
    watched.start();
    while (watched.readiness().checks.stores?.detail === "not checked yet") await new Promise(setImmediate);
    await watched.stop();
    assert.equal(watched.readiness().checks, { stores: { ok: false, detail } });
  });
}

readiness("is lost three seconds after a store has begun to hang", async () => {
  const { setTimeout: schedule } = globalThis;
  const limits: number[] = [];
  const noting = (action: () => void, ms: number): NodeJS.Timeout => {
    limits.push(ms);
    return schedule(action, 0);
  };
  globalThis.setTimeout = noting as unknown as typeof setTimeout;
  try {
    const check = () => new Promise<never>(() => {});
    const disk = { hasRoomFor: () => true };
    const watched = watchHealth({ check, isUp: () => true, servesRequests: true, disk, registry: new Registry() });
    watched.start();
    while (watched.readiness().checks.stores?.detail === "not checked yet") await new Promise(setImmediate);
    await watched.stop();
    assert.equal(watched.readiness().checks, {
      stores: { ok: false, detail: "the event store or the database does not respond" },
    });
  } finally {
    globalThis.setTimeout = schedule;
  }
  assert.equal(limits.slice(0, 2), [0, checkTimeoutMs]);
});

readiness("is checked to the end before the watch has stopped, and not again", async () => {
  const happened: string[] = [];
  let endCheck = (_health: ReadModelHealth): void => {};
  const check = () =>
    new Promise<ReadModelHealth>((resolve) => {
      happened.push("checks");
      endCheck = resolve;
    });
  const disk = { hasRoomFor: () => true };
  const watched = watchHealth({ check, isUp: () => true, servesRequests: true, disk, registry: new Registry() });
  watched.start();
  while (happened.length === 0) await new Promise(setImmediate);
  const stopped = watched.stop().then(() => happened.push("has stopped"));
  await new Promise(setImmediate);
  happened.push("has checked");
  endCheck(healthy);
  await stopped;
  assert.equal(happened, ["checks", "has checked", "has stopped"]);
});

readiness("is checked five times a second until the process is ready, and then every second", async () => {
  const pauses: number[] = [];
  const { setTimeout: schedule } = globalThis;
  // The pauses between checks are noted, and over at once.
  const noting = (action: () => void, ms: number): NodeJS.Timeout => {
    if (ms === checkTimeoutMs) return schedule(action, ms);
    pauses.push(ms);
    return schedule(action, 0);
  };
  globalThis.setTimeout = noting as unknown as typeof setTimeout;
  try {
    const check = async () => ({ ...healthy, unreadable: pauses.length <= 3 ? ["facts"] : [] });
    const disk = { hasRoomFor: () => true };
    const watched = watchHealth({ check, isUp: () => true, servesRequests: true, disk, registry: new Registry() });
    watched.start();
    while (pauses.length < 6) await new Promise(setImmediate);
    await watched.stop();
  } finally {
    globalThis.setTimeout = schedule;
  }
  assert.equal(pauses.slice(0, 6), [0, 200, 200, 200, 1_000, 1_000]);
});

readiness("has the lag of each group as metrics", async () => {
  const registry = new Registry();
  const groups = [group, { ...group, group: "control", lagPositions: 11n, lagSeconds: 2.5 }];
  const check = async () => ({ ...healthy, groups });
  const disk = { hasRoomFor: () => true };
  const watched = watchHealth({ check, isUp: () => true, servesRequests: true, disk, registry });
  watched.start();
  while (watched.readiness().checks.stores?.detail === "not checked yet") await new Promise(setImmediate);
  await watched.stop();
  const lags = (await registry.metrics()).split("\n").filter((line) => line.startsWith("projection_lag_"));
  assert.equal(lags, [
    'projection_lag_positions{group="facts"} 0',
    'projection_lag_positions{group="control"} 11',
    'projection_lag_seconds{group="facts"} 0',
    'projection_lag_seconds{group="control"} 2.5',
  ]);
});

readiness("is a metric, and while the stores do not respond the lag is unknown", async () => {
  const registry = new Registry();
  let down = false;
  const check = async (): Promise<ReadModelHealth> => {
    if (down) throw new Error("no connection");
    return lagging(2);
  };
  const disk = { hasRoomFor: () => true };
  const watched = watchHealth({ check, isUp: () => true, servesRequests: true, disk, registry });
  const metrics = async () => (await registry.metrics()).split("\n").filter((line) => /^(ready|projection)/.test(line));
  watched.start();
  while (!watched.readiness().ready) await new Promise(setImmediate);
  const up = await metrics();
  down = true;
  while (watched.readiness().ready) await pause(10);
  await watched.stop();
  assert.equal(up, [
    "ready 1",
    'projection_lag_positions{group="facts"} 0',
    'projection_lag_seconds{group="facts"} 2',
    "projection_parked_events 0",
  ]);
  assert.equal(await metrics(), ["ready 0", "projection_parked_events Nan"]);
});

function repeated<Value>(value: Value): readonly [Value, Value] {
  return [value, value];
}

readiness.run();
