import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LogPosition } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { createPositionAsOf } from "../../../infra/composition/as-of.ts";
import { createLogClock } from "../../../projections/engine/checkpoints/log-clock.ts";
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
const asked: unknown[] = [];
const passed = async (group: string, position: bigint, timeoutMs: number) => {
  asked.push([group, position, timeoutMs]);
  return position <= factsAt;
};
const positionAsOf = createPositionAsOf({ db, log, passed });
const at = (ms: number) => positionAsOf(new Date(noon + ms).toISOString());

const test = suite("the position that an answer is as of");
test.before(() => createEngineTables(db));
test.before.each(() => {
  factsAt = 600n;
  asked.length = 0;
});
test.after(() => db.destroy());

test("is one that is named, once the facts have passed it, waited for 2 s", async () => {
  assert.equal(await positionAsOf("250"), { outcome: "at", position: 250n });
  assert.equal(asked, [["facts", 250n, 2_000]]);
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

test("is what the facts have passed when nothing is asked for", async () => {
  assert.equal(await positionAsOf(null), { outcome: "at", position: 0n });
  await db.raw(
    `insert into touchledger.checkpoints (group_name, commit_position, prepare_position, log_id, events, epoch, applies)
     values ('facts', 300, 300, 'log', 3, 1, '{}')`,
  );
  assert.equal(await positionAsOf(null), { outcome: "at", position: 300n });
  assert.equal(asked, []);
});

test("is that of another group for who asks its read models", async () => {
  const ofControl = createPositionAsOf({ db, log, passed, group: "control" });
  assert.equal(await ofControl("250"), { outcome: "at", position: 250n });
  assert.equal(asked, [["control", 250n, 2_000]]);
  assert.equal(await ofControl(null), { outcome: "at", position: 0n });
});

test.run();
