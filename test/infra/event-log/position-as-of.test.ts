import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LogPosition } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { createPositionAsOf } from "../../../infra/event-log/log-moments.ts";
import { passedPosition } from "../../../projections/engine/checkpoints/checkpoint.ts";
import { createLogClock, logClockReader } from "../../../projections/engine/checkpoints/log-clock.ts";
import { createEngineTables } from "../../../projections/engine/engine-tables.ts";
import { recordedAt } from "../../examples/recorded-log.ts";
import { openTestDatabase } from "../../projections/engine/stores.ts";

const noon = Date.parse("2026-03-31T12:00:00.000Z");
const event = (position: bigint, ms: number): RecordedEvent => ({
  ...recordedAt(position, { type: "LogOpened", data: { logId: "log" } }),
  recordedAt: new Date(noon + ms),
});
/** The clock of the event store goes back once. */
const events = [
  event(100n, 0),
  event(200n, 400),
  event(300n, 300),
  event(400n, 999),
  event(500n, 1_000),
  event(600n, 800),
];
const log = {
  headPosition: async () => ({ commit: 600n, prepare: 600n }),
  readAll: async function* (from: LogPosition | "start") {
    yield* events.filter(({ position }) => from === "start" || position.commit > from.commit);
  },
};
const db = await openTestDatabase();
let factsAt = 600n;
const waits: unknown[] = [];
const positionAsOf = createPositionAsOf({
  clock: logClockReader(db),
  log,
  passedPosition: () => passedPosition(db, "facts"),
  passed: async (position, timeoutMs) => {
    waits.push([position, timeoutMs]);
    return position <= factsAt;
  },
});
const at = (ms: number) => positionAsOf(new Date(noon + ms).toISOString());

const test = suite("the position of a query with asOf");
test.before(() => createEngineTables(db));
test.before.each(() => {
  factsAt = 600n;
  waits.length = 0;
});
test.after(() => db.destroy());

test("is one that is named, once the facts have passed it, waited for 2 s", async () => {
  assert.equal(await positionAsOf("250"), { outcome: "at", position: 250n });
  assert.equal(waits, [[250n, 2_000]]);
  factsAt = 249n;
  assert.equal(await positionAsOf("250"), { outcome: "behind" });
});

test("is never ahead of the log", async () => {
  assert.equal(await positionAsOf("600"), { outcome: "at", position: 600n });
  assert.equal(await positionAsOf("601"), { outcome: "ahead" });
  assert.equal(await positionAsOf(new Date(Date.now() + 60_000).toISOString()), { outcome: "ahead" });
});

test("of an instant is found in the log from where its clock last ticked", async () => {
  const cases = [-1, 0, 299, 400, 998, 999, 1_000];
  const expected = [0n, 100n, 100n, 300n, 300n, 400n, 600n].map((position) => ({ outcome: "at", position }));
  assert.equal(await Promise.all(cases.map(at)), expected);
  const clock = createLogClock();
  await db.transaction((trx) => clock.tick(trx, events.slice(0, 2)));
  assert.equal(await Promise.all(cases.map(at)), expected);
  factsAt = 300n;
  assert.equal(await at(400), { outcome: "at", position: 300n });
  assert.equal(await at(999), { outcome: "behind" });
});

test("without a position or instant is what the read models have passed", async () => {
  assert.equal(await positionAsOf(null), { outcome: "at", position: 0n });
  await db.raw(
    `insert into touchledger.checkpoints (group_name, commit_position, prepare_position, log_id, events, epoch, applies)
     values ('facts', 300, 300, 'log', 3, 1, '{}')`,
  );
  assert.equal(await positionAsOf(null), { outcome: "at", position: 300n });
  assert.equal(waits, []);
});

test.run();
