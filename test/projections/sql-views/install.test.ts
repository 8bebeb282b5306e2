import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appsProjection } from "../../../projections/apps/projection.ts";
import { createEngineTables } from "../../../projections/engine/engine-tables.ts";
import { createGeneration } from "../../../projections/engine/generations/generations.ts";
import { facts } from "../../../projections/facts/projection.ts";
import { haveViewsChanged, installViews, lockingViews, ViewsInUse } from "../../../projections/sql-views/install.ts";
import { sqlViews, viewSchema } from "../../../projections/sql-views/views.ts";
import { openTestDatabase } from "../engine/stores.ts";

const db = await openTestDatabase();
const viewed = { facts, apps: appsProjection };

async function definitions(): Promise<{ readonly [name: string]: string }> {
  const { rows } = await db.raw<{ rows: { viewname: string; definition: string }[] }>(
    "select viewname, definition from pg_views where schemaname = ? order by viewname",
    [viewSchema],
  );
  return Object.fromEntries(rows.map(({ viewname, definition }) => [viewname, definition]));
}

async function options(): Promise<readonly unknown[]> {
  const { rows } = await db.raw<{ rows: { reloptions: string[] | null }[] }>(
    "select reloptions from pg_class where relnamespace = ?::regnamespace and relkind = 'v'",
    [viewSchema],
  );
  return rows.map(({ reloptions }) => reloptions);
}

const test = suite("SQL views that are installed");
test.before(async () => {
  await createEngineTables(db);
  assert.is(await haveViewsChanged(db), false);
  await db.transaction(async (trx) => {
    for (const projection of [facts, appsProjection]) await createGeneration(trx, projection, "live");
  });
  await installViews(db, viewed);
});
test.after(() => db.destroy());

const qualified = Object.keys(sqlViews).map((name) => `${viewSchema}.${name}`);
const spend = `${viewSchema}.spend`;

/** Statements that change the views, given the definition of `spend`. */
const changes: { readonly [when: string]: (definition: string) => string } = {
  "one has other values": (definition) =>
    `create or replace view ${spend} with (security_barrier) as ${definition.replace("fact.cost", "fact.cost * 2 as cost")}`,
  "one has another column": (definition) =>
    `create or replace view ${spend} with (security_barrier) as ${definition.replace(/from\s/i, ", 1 as one from ")}`,
  "one is no barrier": () => `alter view ${spend} reset (security_barrier)`,
  "one was dropped": () => `drop view ${spend}`,
  "all were dropped": () => `drop view ${qualified.join(", ")}`,
};

for (const [when, change] of Object.entries(changes)) {
  test(`are replaced when ${when}`, async () => {
    const installed = await definitions();
    assert.equal([Object.keys(installed), await haveViewsChanged(db)], [Object.keys(sqlViews).sort(), false]);
    await db.raw(change(installed.spend ?? ""));
    assert.is(await haveViewsChanged(db), true);
    await installViews(db, viewed);
    assert.equal([await definitions(), await haveViewsChanged(db)], [installed, false]);
    assert.equal(
      await options(),
      Object.keys(sqlViews).map(() => ["security_barrier=true"]),
    );
  });
}

test("are replaced but for one with other columns that a view of another schema reads, which is named", async () => {
  const installed = await definitions();
  await db.raw(changes["one has another column"]?.(installed.spend ?? "") ?? "");
  await db.raw(
    `drop view ${viewSchema}.metrics; create schema own; create view own.costs as select cost from ${spend}`,
  );
  const failure = await installViews(db, viewed).catch((thrown: Error) => thrown);
  assert.instance(failure, ViewsInUse);
  assert.match((failure as Error).message, `view own.costs depends on view ${spend}`);
  const replaced = await definitions();
  assert.equal({ ...replaced, spend: null }, { ...installed, spend: null });
  assert.not.equal(replaced.spend, installed.spend);
  await db.raw("drop view own.costs");
  await installViews(db, viewed);
  assert.equal([await definitions(), await haveViewsChanged(db)], [installed, false]);
});

test("are left alone when none was changed, and another was added", async () => {
  await db.raw(`create view ${viewSchema}."A" as select 1 as one`);
  const versions = async () =>
    (await db.raw("select oid, xmin::text from pg_class where relnamespace = ?::regnamespace", [viewSchema])).rows;
  const before = await versions();
  await installViews(db, viewed);
  assert.equal(await versions(), before);
});

test("are not replaced while somebody grants access to them", async () => {
  await db.raw(`drop view ${viewSchema}.spend`);
  const ended: string[] = [];
  let installing: Promise<void> = Promise.resolve();
  await lockingViews(db, async () => {
    installing = installViews(db, viewed).then(() => void ended.push("installed"));
    const isWaiting = "select from pg_locks where locktype = 'advisory' and not granted";
    while ((await db.raw(isWaiting)).rows.length === 0);
    ended.push("granted");
  });
  await installing;
  assert.equal([ended, await haveViewsChanged(db)], [["granted", "installed"], false]);
});

test.run();
