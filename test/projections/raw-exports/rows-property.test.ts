import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isPropertyKey } from "../../../domain/raw-exports/properties.ts";
import { filterTypes } from "../../../domain/reporting/query-validation.ts";
import { runActuals } from "../../../projections/reports/actuals/run.ts";
import { openTestDatabase } from "../facts/facts-tables.ts";
import { ask } from "../reports/actuals/advertising.ts";
import { aQuestion } from "../reports/actuals/generated.ts";
import { lastPosition, someFacts } from "../reports/actuals/generated-facts.ts";
import { passes, type ReferenceQuestion, reportTime } from "../reports/actuals/reference.ts";
import { rounded } from "../reports/actuals/reference-measures.ts";
import { type Facts, rewriteFacts, writeFacts } from "../reports/facts.ts";
import { cellsOf, everyEvent, everyProperty, exportOf, recordsOf } from "./exports.ts";

const db = await openTestDatabase();
const schema = "raw_rows";
const facts = { db, schema };
await writeFacts(db, schema, { touchpoints: [], appEvents: [] });

/** Rates are left out: amounts of other currencies are in no sum of a report then. */
async function given({ uploads: _uploads, ...some }: Facts): Promise<void> {
  await rewriteFacts(db, schema, some);
  await db.raw(`
    insert into ${schema}.app_event_details (app_id, at, event_id, device_id, label, ip)
    select app_id, at, event_id, 'device ' || category, case when local_hour > 8 then currency end, '203.0.113.1'
    from ${schema}.app_events;
    insert into ${schema}.touchpoint_details (app_id, at, touchpoint_id, device_id, user_agent)
    select app_id, at, touchpoint_id, null, kind from ${schema}.touchpoints where human`);
}

type Record = Awaited<ReturnType<typeof recordsOf>>[number];

/** How each metric of a report is found in exported rows. */
const counted: { readonly [metric: string]: (row: Record) => number } = {
  clicks: (row) => Number(row.event_category === "click"),
  impressions: (row) => Number(row.event_category === "impression"),
  app_events: (row) => Number(row.event_source !== "tracking_link"),
  app_installs: (row) => Number(row.event_category === "app_install"),
  app_first_installs: (row) =>
    Number(row.event_category === "app_install" && row.is_first_event_per_device_id === "true"),
  app_unattributed_installs: (row) => Number(row.event_category === "app_install" && row.channel === "unattributed"),
  app_order_complete: (row) => Number(row.event_category === "app_order_complete"),
  "custom:level_up": (row) => Number(row.event_category === "custom:level_up"),
  app_event_value: (row) => (row.event_currency === "KRW" ? Number(row.event_value) : 0),
};
const metrics = Object.keys(counted);
const groupBys = ["channel", "campaign", "event_category", "event_source", "os_name"];

function exportsOf({ query, position, now = reportTime.now }: ReferenceQuestion) {
  const filters = query.filters.filter(({ dimension }) => isPropertyKey(dimension));
  return (["app", "web", "tracking-link"] as const).map((type) =>
    exportOf(
      {
        type,
        start: `${query.from} 00:00:00`,
        end: `${query.to} 23:59:59`,
        events: everyEvent(type),
        properties: everyProperty,
        filters,
      },
      { position: BigInt(position), now },
    ),
  );
}

const property = suite("raw exports, over generated histories");
property.after(() => db.destroy());

property("sum up to the actuals report of the same range and position", async () => {
  let shown = 0;
  await fc.assert(
    fc.asyncProperty(someFacts, aQuestion, async (some, question) => {
      await given(some);
      const requested = exportsOf(question);
      const exported = (await Promise.all(requested.map((one) => recordsOf(facts, one)))).flat();
      const { query } = ask({
        ...question.query,
        groupBys,
        metrics,
        sorts: [],
        filters: requested[0]?.query.filters ?? [],
      });
      const at = { ...reportTime, ...question, onlyChannels: null, query, position: BigInt(question.position) };
      const report = await runActuals(facts, at, { timeoutMs: 30_000 });
      const reported = report.rows.map((row) => [
        row.groupBys.map((value) => value ?? ""),
        row.values.map((value) => rounded(Number(value ?? 0))),
      ]);
      const sums = new Map<string, number[]>();
      for (const row of exported) {
        const key = JSON.stringify(groupBys.map((groupBy) => row[groupBy]));
        const cell = sums.get(key) ?? metrics.map(() => 0);
        for (const [index, metric] of metrics.entries())
          cell[index] = (cell[index] ?? 0) + (counted[metric]?.(row) ?? 0);
        sums.set(key, cell);
      }
      const summed = [...sums].map(([key, values]) => [JSON.parse(key), values.map(rounded)]);
      const isAnything = (row: readonly unknown[]): boolean => (row[1] as number[]).some((value) => value !== 0);
      const inOrder = (all: readonly (readonly unknown[])[]) =>
        all
          .filter(isAnything)
          .map((row) => JSON.stringify(row))
          .sort();
      assert.equal(inOrder(summed), inOrder(reported));
      shown += summed.length;
    }),
    { numRuns: 40 },
  );
  assert.ok(shown > 300, `${shown}`);
});

property("are filtered by any property by the text of its cells", async () => {
  const aFilter = (dimension: string) =>
    fc.record({
      dimension: fc.constant(dimension),
      filterType: fc.constantFrom(...filterTypes),
      pick: fc.nat(),
      values: fc.subarray(["", "partner", "2026*", "*09:00", "true", "KRW", "%", "_"], { maxLength: 3 }),
    });
  const filtered = new Set<string>();
  await fc.assert(
    fc.asyncProperty(someFacts, fc.tuple(...everyProperty.map(aFilter)), async (some, filters) => {
      await given(some);
      const [one] = exportsOf(ask({ from: "2026-02-27", to: "2026-03-02" }));
      assert.ok(one);
      const requested = { ...one, position: BigInt(lastPosition) };
      const whole = await cellsOf(facts, requested);
      for (const { dimension, filterType, pick, values } of filters) {
        const column = everyProperty.indexOf(dimension);
        const filter = { dimension, filterType, values: [...values, whole[pick % whole.length]?.[column] ?? ""] };
        const query = { ...requested.query, filters: [filter] };
        const left = whole.filter((row) => passes(row[column] ?? "", filter));
        assert.equal(await cellsOf(facts, { ...requested, query }), left, JSON.stringify(filter));
        if (left.length < whole.length && left.length > 0) filtered.add(dimension);
      }
    }),
    { numRuns: 6 },
  );
  assert.ok(filtered.size >= 15, [...filtered].join());
});

property.run();
