import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { aggregateDay } from "../../../../projections/facts/daily-aggregates/aggregate-day.ts";
import { daysToAggregate } from "../../../../projections/facts/daily-aggregates/changed-days.ts";
import { shopRegistered } from "../../../examples/app.ts";
import { anInstall, anOrder } from "../../../examples/app-events.ts";
import { wonBy } from "../../../examples/decisions.ts";
import { exampleUuid, recordedAt } from "../../../examples/recorded-log.ts";
import { aClick } from "../../../examples/touchpoints.ts";
import { anyFactsLog } from "../any-log.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const facts = await createFacts(db);

const counts = suite("counts of a day");

counts.before.each(async () => {
  await facts.clear();
  await facts.clearDailyCounts();
});

const days = async (): Promise<readonly string[]> =>
  (await daysToAggregate(facts)).map(({ local_date, changes }) => `${local_date} changed ${changes} times`);
const countAll = async (): Promise<void> => {
  for (const day of await daysToAggregate(facts)) await aggregateDay(facts, day);
};

const click = aClick({ at: "2026-03-01T09:00:00.000Z" });
const install = anInstall({ at: "2026-03-01T10:00:00.000Z" });
const order = anOrder({ at: "2026-03-03T10:00:00.000Z", value: "12.5", currency: "KRW" });

counts("are due for every day with facts, in the app's time zone", async () => {
  await facts.apply([recordedAt(100n, shopRegistered), recordedAt(200n, click), recordedAt(300n, order)]);
  assert.equal(await days(), ["2026-03-01 changed 1 times", "2026-03-03 changed 1 times"]);
  assert.equal(
    (await daysToAggregate(facts, 1)).map(({ local_date }) => local_date),
    ["2026-03-01"],
  );
});

counts("are due for the oldest days first, of whichever app", async () => {
  const cafe = { ...shopRegistered, data: { ...shopRegistered.data, appId: 2, name: "cafe" } };
  const other = aClick({ appId: 2, at: "2026-03-02T09:00:00.000Z" });
  const log = [shopRegistered, cafe, order, other, click];
  await facts.apply(log.map((event, index) => recordedAt(BigInt(100 * (index + 1)), event)));
  const due = (await daysToAggregate(facts)).map(({ local_date, app_id }) => [local_date, app_id]);
  assert.equal(due, [
    ["2026-03-01", 1],
    ["2026-03-02", 2],
    ["2026-03-03", 1],
  ]);
});

counts("are valid until a fact of the day is added or changes", async () => {
  await facts.apply([recordedAt(100n, shopRegistered), recordedAt(200n, click), recordedAt(300n, install)]);
  await countAll();
  assert.equal(await days(), []);
  await facts.apply([recordedAt(400n, order)]);
  assert.equal(await days(), ["2026-03-03 changed 1 times"]);
  await facts.apply([recordedAt(500n, wonBy(install, click))]);
  assert.equal(await days(), ["2026-03-01 changed 2 times", "2026-03-03 changed 2 times"]);
  await countAll();
  const earlier = anInstall({ eventId: exampleUuid("earlier", 1), at: "2026-02-28T10:00:00.000Z" });
  await facts.apply([recordedAt(600n, earlier)]);
  assert.equal(await days(), ["2026-02-28 changed 1 times", "2026-03-01 changed 3 times"]);
});

counts("stay valid when a fact is repeated", async () => {
  const log = [recordedAt(100n, shopRegistered), recordedAt(200n, click), recordedAt(300n, install)];
  await facts.apply(log);
  await countAll();
  await facts.apply(log);
  assert.equal(await days(), []);
});

counts("are none of a day that only a repeated touchpoint with another date names", async () => {
  await facts.apply([recordedAt(100n, shopRegistered), recordedAt(200n, click)]);
  await countAll();
  const repeated = { ...click, data: { ...click.data, at: "2026-03-05T09:00:00.000Z" } };
  const other = aClick({ touchpointId: exampleUuid("click", 2), at: "2026-03-01T11:00:00.000Z" });
  await facts.apply([recordedAt(300n, repeated), recordedAt(400n, other)]);
  await countAll();
  assert.equal(await days(), []);
  assert.is((await db(`${facts.schema}.daily_touchpoints`).where({ local_date: "2026-03-05" })).length, 0);
});

const amount = (value: string, currency: string, number: number) =>
  anOrder({ eventId: exampleUuid("order", number), at: `2026-03-03T10:0${number}:00.000Z`, value, currency });

counts("add up amounts in the app's currency and keep each amount in another", async () => {
  const orders = [amount("1.50", "KRW", 1), amount("2", "KRW", 2), amount("7", "EUR", 3), amount("7", "EUR", 4)];
  const log = [shopRegistered, ...orders, amount("0", "EUR", 5)];
  await facts.apply(log.map((event, index) => recordedAt(BigInt(100 * (index + 1)), event)));
  await countAll();
  const { rows } = await db.raw(
    `select currency, facts, times, value from ${facts.schema}.daily_app_events
     where not by_client and not is_first_of_device order by currency, value`,
  );
  assert.equal(rows, [
    { currency: "EUR", facts: 1, times: 1, value: "0" },
    { currency: "EUR", facts: 2, times: 2, value: "7" },
    { currency: "KRW", facts: 1, times: 1, value: "2" },
  ]);
});

counts("equal the facts from the last change of the day on, whenever they are computed", async () => {
  await fc.assert(
    fc.asyncProperty(anyFactsLog, fc.integer({ min: 1, max: 9 }), async (log, size) => {
      await facts.clear();
      await facts.clearDailyCounts();
      for (let start = 0; start < log.length; start += size) {
        await facts.apply(log.slice(start, start + size));
        if (start % 2 === 0) await countAll();
      }
      assert.equal(await wrongCounts(), []);
      await countAll();
      assert.equal(await wrongCounts(), []);
    }),
    { numRuns: 12 },
  );
});

/** Counts that are marked as valid at a position and are wrong. */
async function wrongCounts(): Promise<readonly unknown[]> {
  const { schema } = facts;
  const columns = "app_id, local_date, category, source_key, touchpoint_kind, is_first_of_device, is_first_of_user";
  const { rows } = await db.raw(
    `with held as (
       select app_id, local_date, changed_position, changed_position + n as position
       from ${schema}.aggregated_days as aggregated
       join ${schema}.day_changes as known using (app_id, local_date, changes)
       cross join (values (0), (100), (10000)) as later (n)
     ), aggregated as (
       select position, ${columns}, client_key, by_client, sum(facts) as facts
       from held join ${schema}.daily_app_events using (app_id, local_date)
       group by position, ${columns}, client_key, by_client
     ), computed as (
       select position, ${columns}, client_key, grouping(client_key) = 0, count(*)
       from held join ${schema}.app_events using (app_id, local_date)
       where from_position <= position and to_position > position
       group by position, ${columns}, grouping sets ((), (client_key))
     )
     (select 'counted', * from (select * from aggregated except select * from computed) as wrong)
     union all
     (select 'missing', * from (select * from computed except select * from aggregated) as wrong)`,
  );
  return rows;
}

counts.after(() => db.destroy());

counts.run();
