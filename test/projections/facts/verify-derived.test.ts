import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fillVectors } from "../../../projections/facts/app-events/install-vectors.ts";
import { aggregateDay } from "../../../projections/facts/daily-aggregates/aggregate-day.ts";
import { daysToAggregate } from "../../../projections/facts/daily-aggregates/changed-days.ts";
import { facts as projection } from "../../../projections/facts/projection.ts";
import type { DerivedTable } from "../../../projections/projection.ts";
import { shopRegistered } from "../../examples/app.ts";
import { anInstall, anOrder, phone } from "../../examples/app-events.ts";
import { exampleUuid, recordedLog } from "../../examples/recorded-log.ts";
import { aClick } from "../../examples/touchpoints.ts";
import { anyFactsLog } from "./any-log.ts";
import { createFacts, openTestDatabase } from "./facts-tables.ts";

const test = suite("verify of what is derived from the facts");

const db = await openTestDatabase();
const facts = await createFacts(db);
test.after(() => db.destroy());

const derive = async (): Promise<void> => {
  for (const day of await daysToAggregate(facts)) await aggregateDay(facts, day);
  while ((await fillVectors(facts, 100)) > 0);
};
const verified = async (): Promise<readonly DerivedTable[]> => (await projection.verifyDerived?.(facts)) ?? [];
const differing = async (): Promise<readonly string[]> =>
  (await verified()).filter(({ wrong, missing }) => wrong.length + missing.length > 0).map(({ table }) => table);

const first = anInstall({ value: "12.50", currency: "KRW", person: { deviceId: "phone" } });
const order = anOrder({ at: "2026-03-03T10:00:00.000Z", value: "7", currency: "EUR" });
const log = recordedLog([shopRegistered, aClick({ deviceKey: phone }), first, order]);

test.before.each(async () => {
  await facts.clear();
  await facts.clearDailyCounts();
});

test("finds all rows right, and compares those in use only", async () => {
  await facts.apply(log);
  const rows = async () => (await verified()).map((table) => [table.table, table.rows, table.wrong, table.missing]);
  assert.equal(await rows(), [
    ["daily_touchpoints", 0, [], []],
    ["daily_app_events", 0, [], []],
    ["daily_devices", 0, [], []],
    ["aggregated_days", 0, [], []],
    ["install_vectors", 0, [], []],
  ]);
  await derive();
  assert.equal(await rows(), [
    ["daily_touchpoints", 2, [], []],
    ["daily_app_events", 4, [], []],
    ["daily_devices", 8, [], []],
    ["aggregated_days", 2, [], []],
    ["install_vectors", 1, [], []],
  ]);
  await facts.apply(recordedLog([anOrder({ ...order.data, eventId: exampleUuid("order", 2) })], 1_000n));
  assert.equal(
    (await rows()).map(([, number]) => number),
    [2, 2, 4, 1, 1],
  );
});

test("names the stored row and the computed one", async () => {
  await facts.apply(log);
  await derive();
  await db.raw(`update ${facts.schema}.daily_app_events set value = 8 where currency = 'EUR' and not by_client`);
  const found = (await verified()).filter(({ table }) => table === "daily_app_events");
  const valuesIn = (rows: readonly string[] | undefined) =>
    rows?.map((row) => [JSON.parse(row).local_date, JSON.parse(row).value]);
  assert.equal([valuesIn(found[0]?.wrong), valuesIn(found[0]?.missing)], [[["2026-03-03", 8]], [["2026-03-03", 7]]]);
});

const changes: readonly (readonly [table: string, statement: string])[] = [
  ["daily_touchpoints", "update daily_touchpoints set facts = facts + 1"],
  ["daily_touchpoints", "delete from daily_touchpoints where by_client"],
  ["daily_touchpoints", "insert into daily_touchpoints select * from daily_touchpoints"],
  ["daily_app_events", "update daily_app_events set times = 2 where currency = 'EUR'"],
  ["daily_app_events", "update daily_app_events set source_key = 1"],
  ["daily_app_events", "delete from daily_app_events where local_date = '2026-03-01'"],
  ["daily_devices", "update daily_devices set device_keys = device_keys || gen_random_uuid()"],
  ["daily_devices", "update daily_devices set device_keys = device_keys || device_keys"],
  ["daily_devices", "update daily_devices set are_alone = not are_alone"],
  ["aggregated_days", "update aggregated_days set changed_position = changed_position - 1"],
  ["install_vectors", "update install_vectors set features[1] = features[1] + 1"],
  ["install_vectors", "update install_vectors set features = features || 0::double precision"],
  ["install_vectors", "update install_vectors set event_id = gen_random_uuid()"],
];

for (const [table, statement] of changes) {
  test(`finds the change: ${statement}`, async () => {
    await facts.apply(log);
    await derive();
    await db.transaction(async (trx) => {
      await trx.raw(`set local search_path = ${facts.schema}`);
      await trx.raw(statement);
    });
    assert.equal(await differing(), [table]);
  });
}

test("finds aggregates that are marked as current and are not", async () => {
  await facts.apply(log);
  await derive();
  await facts.apply(recordedLog([anOrder({ ...order.data, eventId: exampleUuid("order", 2) })], 1_000n));
  await db.raw(
    `update ${facts.schema}.day_changes as known set changes = counted.changes
     from ${facts.schema}.aggregated_days as counted
     where (known.app_id, known.local_date) = (counted.app_id, counted.local_date)`,
  );
  assert.equal(await differing(), ["daily_app_events", "daily_devices", "aggregated_days"]);
});

test("finds nothing in any log, wherever the rows were derived", async () => {
  await fc.assert(
    fc.asyncProperty(anyFactsLog, fc.integer({ min: 1, max: 9 }), async (anyLog, size) => {
      await facts.clear();
      await facts.clearDailyCounts();
      for (let start = 0; start < anyLog.length; start += size) {
        await facts.apply(anyLog.slice(start, start + size));
        if (start % 3 === 0) await derive();
      }
      assert.equal(await differing(), []);
    }),
    { numRuns: 12 },
  );
});

test.run();
