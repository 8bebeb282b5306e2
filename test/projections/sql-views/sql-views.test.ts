// time limit: 120 s
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import { rawExportProperties } from "../../../domain/raw-exports/properties.ts";
import { timeZones } from "../../../domain/values/time-zones.ts";
import { sqlViews, viewQuery } from "../../../projections/sql-views/views.ts";
import { shopRegistered } from "../../examples/app.ts";
import { anInstall, phone } from "../../examples/app-events.ts";
import { revisedBy, wonBy } from "../../examples/decisions.ts";
import { aLargeMonth, anInstallByTwitter } from "../../examples/large-months.ts";
import { exampleUuid, recordedLog } from "../../examples/recorded-log.ts";
import { aClick, springSale } from "../../examples/touchpoints.ts";
import { root } from "../../support/paths.ts";
import { createFacts, openTestDatabase } from "../facts/facts-tables.ts";
import { everyEvent, exportOf, recordsOf } from "../raw-exports/exports.ts";
import { spend, visits } from "../reports/actuals/advertising.ts";
import { lastPosition } from "../reports/actuals/generated-facts.ts";
import { type Facts, rewriteFacts, uuidOf, writeFacts } from "../reports/facts.ts";
import { indistinguishableHistories } from "../reports/masking/indistinguishable-histories.ts";
import { enough, ofTwitter } from "../reports/masking/networks.ts";
import { noUploads } from "../reports/uploads.ts";

const db = await openTestDatabase();
const schema = "viewed";
await writeFacts(db, schema, { touchpoints: [], appEvents: [] });
await db.raw(
  "create schema named; create table named.apps as select * from (values (1, 'shop'), (2, 'other')) as app (app_id, name)",
);

async function given(facts: Facts): Promise<void> {
  await rewriteFacts(db, schema, facts);
  await db.raw(`
    insert into ${schema}.app_event_details (app_id, at, event_id, device_id, label)
    select distinct app_id, at, event_id, 'device', category from ${schema}.app_events;
    insert into ${schema}.touchpoint_details (app_id, at, touchpoint_id)
    select app_id, at, touchpoint_id from ${schema}.touchpoints where human`);
}

type Row = { readonly [column: string]: unknown };

async function rowsOf(view: string, clock: Date, facts = schema): Promise<readonly Row[]> {
  const spec = sqlViews[view];
  assert.ok(spec, view);
  const query = viewQuery(spec, { facts, apps: "named" }, `timestamptz '${clock.toISOString()}'`);
  const { rows } = await db.raw<{ rows: Row[] }>(`select * from (${query}) as of_view where app = 'shop'`);
  return rows;
}

const texts = (row: Row, keys: readonly string[]): string => JSON.stringify(keys.map((key) => String(row[key] ?? "")));

/** The columns that a view shares with exports, under the same names. */
const shared = (view: readonly Row[]): readonly string[] =>
  Object.keys(view[0] ?? {}).filter((key) => Object.hasOwn(rawExportProperties, key) && key !== "event_properties");

const property = suite("SQL views, over generated histories");

property("have the rows and values of the raw exports of the same moment", async () => {
  const kept = { touchpoints: 0, app_events: 0, withheld: 0 };
  const clocks = fc.constantFrom(
    "2026-03-11T00:00:00Z",
    "2026-08-20T14:59:59Z",
    "2026-08-23T15:00:00Z",
    "2026-09-30T00:00:00Z",
  );
  await fc.assert(
    fc.asyncProperty(indistinguishableHistories({ devices: "any", names: true }), clocks, async ({ one }, instant) => {
      await given(one);
      const clock = new Date(instant);
      for (const view of ["touchpoints", "app_events"] as const) {
        const seen = await rowsOf(view, clock);
        const properties = [...shared(seen), ...(view === "touchpoints" ? ["click_id"] : ["event_id"])];
        const types = view === "touchpoints" ? (["tracking-link"] as const) : (["app", "web"] as const);
        const exported = await Promise.all(
          types.map((type) => {
            const query = {
              type,
              start: "2026-02-01 00:00:00",
              end: "2026-03-31 23:59:59",
              events: everyEvent(type),
              properties,
            };
            return recordsOf({ db, schema }, exportOf(query, { position: BigInt(lastPosition), now: clock }));
          }),
        );
        const keys = properties.filter((key) => key !== "click_id" && key !== "event_source");
        assert.equal(
          seen.map((row) => texts(row, keys)).sort(),
          exported
            .flat()
            .map((row) => texts(row, keys))
            .sort(),
        );
        kept[view] += seen.length;
      }
      const all = one.touchpoints.filter(({ human, appId }) => human && appId === 1).length;
      kept.withheld += all - (await rowsOf("touchpoints", clock)).length;
    }),
    { numRuns: 25 },
  );
  assert.ok(kept.touchpoints > 100 && kept.app_events > 500 && kept.withheld > 20, JSON.stringify(kept));
});

property("show a network's month above both limits of masking, of the app itself, for 175 days", async () => {
  const { impressions, installs } = enough;
  const shown = async (facts: Facts, instant = "2026-03-31T00:00:00Z"): Promise<number> => {
    await given(facts);
    return (await rowsOf("app_events", new Date(instant))).length;
  };
  const large = { touchpoints: impressions, appEvents: installs };
  assert.is(await shown(large), 101);
  assert.is(await shown({ ...large, touchpoints: impressions.slice(1) }), 0);
  assert.is(await shown({ ...large, appEvents: installs.slice(1) }), 0);
  const ofAnother = <Fact extends object>(facts: readonly Fact[]) => facts.map((fact) => ({ ...fact, appId: 2 }));
  const another = { touchpoints: ofAnother(impressions), appEvents: [...ofAnother(installs), ofTwitter] };
  assert.is(await shown(another), 0);
  // The last moment of September 1 in Seoul, 175 days after March 10.
  assert.is(await shown(large, "2026-09-01T14:59:59Z"), 101);
  assert.is(await shown(large, "2026-09-01T15:00:00Z"), 0);
});

property("know the time zone of every app that can be registered", async () => {
  const { rows } = await db.raw("select name from pg_timezone_names");
  const known = new Set((rows as { readonly name: string }[]).map(({ name }) => name));
  assert.equal(
    [...timeZones].filter((name) => !known.has(name)),
    [],
  );
});

property("have every column of their own in the contract", () => {
  const page = readFileSync(join(root, "docs/contract/sql.md"), "utf8");
  for (const [name, { columns }] of Object.entries(sqlViews)) {
    const [, stated = ""] = new RegExp(`^\\| \`${name}\` \\|.*\\| (.*) \\|$`, "m").exec(page) ?? [];
    assert.is(
      stated,
      Object.keys(columns)
        .map((column) => `\`${column}\``)
        .join(", "),
    );
  }
});

const views = suite("a SQL view");
views.after(() => db.destroy());

const now = new Date("2026-03-31T00:00:00Z");

const cellsOf = (rows: readonly Row[], columns: readonly string[]) =>
  rows.map((row) => columns.map((column) => row[column]));

views("of attributions has the decision in force on each target event, without a withheld touchpoint", async () => {
  const facts = await createFacts(db);
  const [install, click] = [anInstall(), aClick({ deviceKey: phone })];
  const other = { ...springSale, channel: "other" };
  const late = aClick({ touchpointId: exampleUuid("click", 2), at: "2026-03-01T09:30:00.000Z", source: other });
  const decision = wonBy(install, click);
  const ofFebruary = anInstallByTwitter("february", 1, "2026-02-27T09:00:00.000Z", "2026-03-01T10:00:00.000Z");
  const events = [shopRegistered, click, install, decision, late, revisedBy(decision, late), ...ofFebruary];
  await facts.apply(recordedLog<StoredEvent>([...events, ...aLargeMonth("2026-03")]));
  const rows = await rowsOf("attributions", now, facts.schema);
  assert.is(rows.length, 103);
  const ids = [install.data.eventId, exampleUuid("february install", 1)];
  const found = ids.flatMap((id) => rows.filter(({ event_id }) => event_id === id));
  const columns = ["channel", "is_revised", "decided_at_position", "touchpoint_id", "touchpoint_time"];
  assert.equal(cellsOf(found, [...columns, "match_type", "window_ends_at"]), [
    [
      ...["other", true, 500n, late.data.touchpointId, new Date(late.data.at)],
      ...["probabilistic", new Date("2026-03-31T10:00:00.000Z")],
    ],
    ["twitter", false, 800n, null, null, null, null],
  ]);
});

views("of uploads has the rows in force that are not all zeros", async () => {
  const zeros = { impressions: 0, clicks: 0, cents: 0 };
  const [former, staged] = [{ to: 5 }, { from: null }];
  const inForce = [zeros, { ...zeros, impressions: 1 }, { ...zeros, clicks: 2 }, { ...zeros, cents: 300 }];
  const uploads = {
    ...noUploads,
    spend: [former, staged, ...inForce].map((more) => ({ ...spend, ...more })),
    uploadedMetrics: [former, staged, { cents: 0 }, { cents: -150 }].map((more) => ({ ...visits, ...more })),
  };
  await given({ touchpoints: [], appEvents: [], uploads });
  assert.equal(cellsOf(await rowsOf("spend", now), ["upload_id", "impressions", "clicks", "cost"]).sort(), [
    [uuidOf(3), 1n, 0n, "0.00"],
    [uuidOf(4), 0n, 2n, "0.00"],
    [uuidOf(5), 0n, 0n, "3.00"],
  ]);
  assert.equal(cellsOf(await rowsOf("metrics", now), ["upload_id", "event_value"]), [[uuidOf(3), "-1.50"]]);
});

property.run();
views.run();
