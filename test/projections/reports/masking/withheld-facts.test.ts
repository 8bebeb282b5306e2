import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rawExportProperties } from "../../../../domain/raw-exports/properties.ts";
import type { ReadModel } from "../../../../projections/projection.ts";
import { cellsOf, everyEvent, exportOf } from "../../raw-exports/exports.ts";
import { ask } from "../actuals/advertising.ts";
import { aggregateDays, noteChangedDays } from "../aggregate-days.ts";
import type { Facts } from "../facts.ts";
import { openReportFacts } from "../report-facts.ts";
import { indistinguishableHistories, type Variation } from "./indistinguishable-histories.ts";
import { activeUsers, actuals, hidden, type RandomReport, retention, revenue } from "./random-reports.ts";

/*
 * Non-interference: histories that differ only in withheld facts have the same result for each question. Anything that
 * can be computed from results, by subtracting or joining them, is then the same as well, so no combination of results
 * reveals withheld facts. The values that are not masked are those of a history without the withheld facts.
 */

const schemas = await openReportFacts(async () => null);
const { db } = schemas;

const any: Variation = { devices: "any", names: false };
const unseen: Variation = { devices: "unseen", names: false };
const filtered = ["channel", "campaign", "event_date", "os_name"];
const unnamed = ["channel", "event_date", "os_name"];

const withheld = suite("histories that differ only in withheld facts");
withheld.after(() => schemas.close());

/** Asks histories the same random questions. */
function areAlike<Report>(name: string, report: RandomReport<Report>, variation: Variation, histories = 2): void {
  for (const names of [false, true]) {
    const differing = names ? "its names" : "its number, money and devices";
    const questions = fc.array(report.questions(names ? unnamed : filtered), { minLength: 6, maxLength: 6 });
    withheld(`give the same results and explanations of ${name}: ${differing}`, async () => {
      let compared = 0;
      const differ = indistinguishableHistories({ ...variation, names });
      await fc.assert(
        fc.asyncProperty(differ, questions, fc.boolean(), async ({ one, other, without }, some, isCounted) => {
          const models: ReadModel[] = [];
          for (const facts of [one, other, without]) models.push(await written(facts, isCounted));
          for (const question of some) {
            const [actual, same, expected] = await Promise.all(models.map((model) => report.results(model, question)));
            const [all = [], allSame = []] = await Promise.all([actual?.all(), same?.all()]);
            assert.equal(all.map(text), allSame.map(text), text(question));
            assertSameShown(actual?.shown ?? new Map(), expected?.shown ?? new Map(), text(question));
            compared += all.length;
          }
          for (const { schema } of models) schemas.release(schema);
        }),
        { numRuns: histories, endOnFailure: true },
      );
      assert.ok(compared > 10, `${compared}`);
    });
  }
}

areAlike("actuals", actuals, any, 3);
areAlike("active users", activeUsers, any);
areAlike("retention", retention, unseen);
areAlike("revenue", revenue, unseen);

withheld("would give others if the channels were no networks", async () => {
  const channelFlags = ["twitter", "tiktok", "friends"].map((channel) => {
    return { channel, selfAttributing: false, from: 1, to: null };
  });
  const question = ask({ from: "2026-02-27", metrics: ["app_events", "clicks", "app_revenue"] });
  await fc.assert(
    fc.asyncProperty(indistinguishableHistories(any), async ({ one, other }) => {
      const results = [];
      for (const facts of [one, other]) {
        const model = await written({ ...facts, channelFlags }, false);
        results.push(await (await actuals.results(model, question)).all());
        schemas.release(model.schema);
      }
      assert.is.not(text(results[0]), text(results[1]));
    }),
    { numRuns: 5, endOnFailure: true },
  );
});

withheld("give the same raw exports, which are those of a history without it", async () => {
  const anExport = fc.record({
    type: fc.constantFrom("app" as const, "web" as const, "tracking-link" as const),
    filter: fc.constantFrom(null, { dimension: "campaign", filterType: "EXIST" as const, values: [] }),
    position: fc.oneof(fc.constant(9n), fc.bigInt({ min: 1n, max: 9n })),
    now: fc.constantFrom("2026-03-03", "2026-08-20", "2026-08-23").map((day) => new Date(`${day}T16:00:00Z`)),
  });
  const variation = fc.record({ devices: fc.constant("any" as const), names: fc.boolean() });
  const exports = fc.array(anExport, { minLength: 8, maxLength: 8 });
  let rows = 0;
  await fc.assert(
    fc.asyncProperty(
      variation.chain(indistinguishableHistories),
      exports,
      async ({ one, other, without }, requested) => {
        const models: ReadModel[] = [];
        for (const facts of [one, other, without]) models.push(await written(facts, false));
        for (const { type, filter, position, now } of requested) {
          const query = {
            type,
            start: "2026-02-27 00:00:00",
            end: "2026-03-02 23:59:59",
            events: everyEvent(type),
            properties: Object.keys(rawExportProperties),
            filters: filter === null ? [] : [filter],
          };
          const files = await Promise.all(models.map((model) => cellsOf(model, exportOf(query, { position, now }))));
          for (const file of files) assert.equal(file, files[0], text({ type, filter, position, now }));
          rows += files[0]?.length ?? 0;
        }
        for (const { schema } of models) schemas.release(schema);
      },
    ),
    { numRuns: 3, endOnFailure: true },
  );
  assert.ok(rows > 0);
});

withheld.run();

/** Asserts that cells show what they would if nothing withheld had ever been there, but for hidden ones. */
function assertSameShown(
  shown: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
  about: string,
): void {
  const cells = [...new Set([...shown.keys(), ...expected.keys()])].filter((cell) => shown.get(cell) !== hidden);
  const valuesIn = (those: ReadonlyMap<string, string>) => cells.map((cell) => [cell, those.get(cell)]);
  assert.equal(valuesIn(shown), valuesIn(expected), about);
}

/** @param isCounted whether days were counted before (`daily_touchpoints` and others) */
async function written(facts: Facts, isCounted: boolean): Promise<ReadModel> {
  const schema = await schemas.write(facts);
  await db.raw(`
    insert into ${schema}.app_event_details (app_id, at, event_id, device_id)
    select app_id, at, event_id, 'device' from ${schema}.app_events;
    insert into ${schema}.touchpoint_details (app_id, at, touchpoint_id, device_id)
    select app_id, at, touchpoint_id, null from ${schema}.touchpoints where human`);
  if (isCounted) {
    await noteChangedDays(db, schema);
    await aggregateDays(db, schema, (date) => date !== "2026-03-02");
  }
  return { db, schema };
}

function text(of: unknown): string {
  return JSON.stringify(of, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}
