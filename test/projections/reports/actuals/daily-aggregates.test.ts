import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ActualsResult } from "../../../../projections/reports/actuals/run.ts";
import { aggregateDays, noteChangedDays } from "../aggregate-days.ts";
import type { Facts } from "../facts.ts";
import { ask, openFacts, order } from "./advertising.ts";
import { aQuestion } from "./generated.ts";
import { someFacts } from "./generated-facts.ts";

const actuals = await openFacts();
const { db, run } = actuals;

/** Facts, with all their days to be aggregated. */
async function written(facts: Facts): Promise<string> {
  const schema = await actuals.write(facts);
  await noteChangedDays(db, schema);
  return schema;
}

const aggregated = suite("an actuals report over aggregated days");

aggregated.after(() => actuals.close());

aggregated("is the same to the byte with and without the aggregates, at every position", async () => {
  const questions = fc.array(aQuestion, { minLength: 12, maxLength: 12 });
  const someDays = fc.constantFrom<readonly string[]>(
    ["2026-02-28", "2026-03-01"],
    ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"],
  );
  await fc.assert(
    fc.asyncProperty(someFacts, questions, someDays, async (facts, questions, days: readonly string[]) => {
      const schema = await written(facts);
      const before: ActualsResult[] = [];
      for (const question of questions) before.push(await run(schema, question));
      await aggregateDays(db, schema, (date) => days.includes(date));
      for (const [index, question] of questions.entries()) {
        assert.equal(await run(schema, question), before[index], JSON.stringify(question));
      }
      actuals.release(schema);
    }),
    { numRuns: 12 },
  );
});

aggregated("reads the aggregates, not the facts", async () => {
  const schema = await written({ touchpoints: [], appEvents: [order] });
  await aggregateDays(db, schema);
  await db.raw(`delete from ${schema}.app_events`);
  const question = ask({
    groupBys: ["event_date", "channel", "country"],
    metrics: ["app_order_complete", "app_order_complete_users", "app_revenue"],
  });
  assert.equal(
    (await run(schema, question)).rows.map(({ values }) => values),
    [["1", "1", "0.1"]],
  );
  const hourly = ask({ groupBys: ["event_hour"], metrics: ["app_order_complete"] });
  assert.is((await run(schema, hourly)).rows.length, 0, "hours are not aggregated");
});

aggregated("reads the facts of a day before its last change, and of one that has changed since", async () => {
  const schema = await written({ touchpoints: [], appEvents: [{ ...order, from: 5 }] });
  await aggregateDays(db, schema);
  await db.raw(`delete from ${schema}.app_events`);
  const question = ask({ groupBys: ["event_date"], metrics: ["app_order_complete"] });
  const rowsAt = async (position: number) => (await run(schema, { ...question, position })).rows.length;
  assert.equal([await rowsAt(4), await rowsAt(5), await rowsAt(6)], [0, 1, 1]);
  await db.raw(`update ${schema}.day_changes set changes = changes + 1`);
  assert.is(await rowsAt(6), 0);
});

aggregated.run();
