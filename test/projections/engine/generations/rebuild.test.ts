import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dropExpired, readGenerations } from "../../../../projections/engine/generations/generations.ts";
import { rebuild } from "../../../../projections/engine/generations/rebuild.ts";
import {
  type OperatorCommands,
  openOperatorCommands,
} from "../../../../projections/engine/maintenance/operator-commands.ts";
import { createProjector, type Projector } from "../../../../projections/engine/runner/projector.ts";
import type { Projection } from "../../../../projections/projection.ts";
import { createReadModels } from "../../../../projections/read-models.ts";
import { rowsOf } from "../../split-property.ts";
import { silentEngineLog } from "../engine-log.ts";
import { balances, ledger, paid, payment, payments } from "../ledger.ts";
import { connectDatabase, openStores, type Stores } from "../stores.ts";

const test = suite("generations");
const timeoutMs = 20_000;
const noProgress = (): void => undefined;

let stores: Stores;
test.before.each(async () => {
  stores = await openStores();
});
test.after.each(() => stores.close());

function projectorOf(projections: readonly Projection[]): Projector {
  return createProjector({ db: stores.db, log: stores.log, projections, engineLog: silentEngineLog });
}

function maintenanceOf(projections: readonly Projection[]): Promise<OperatorCommands> {
  return openOperatorCommands(stores.db, stores.log, projections, silentEngineLog);
}

const pay = () => stores.append("account-9", payment(1));

async function states() {
  return (await readGenerations(stores.db)).map(({ projection, version, state }) => [projection, version, state]);
}

test("a rebuild replaces a read model under load, and readers never see a gap", async () => {
  const projector = projectorOf(ledger);
  await projector.start();
  for (const { stream, event } of paid(50)) await stores.append(stream, event);
  const readers = connectDatabase(stores.databaseUrl);
  const readModels = createReadModels(readers, ledger);
  let isOver = false;
  let expected = 50;
  const gaps: unknown[] = [];
  const schemas = new Set<string>();
  const load = (async () => {
    while (!isOver) {
      const position = await pay();
      expected += 1;
      assert.is(await projector.waitForPosition("facts", position, timeoutMs), true);
      const { db, schema } = await readModels.live("payments");
      schemas.add(schema);
      const answer: { rows: readonly { readonly paid: number }[] } = await db.raw(
        `select count(*)::int as paid from ${schema}.payments`,
      );
      if (answer.rows[0]?.paid !== expected) gaps.push([schema, answer.rows[0]?.paid, expected]);
    }
  })();
  const maintenance = await maintenanceOf(ledger);
  const [before] = (await readGenerations(stores.db)).filter(({ projection }) => projection === "payments");
  while (before !== undefined && !schemas.has(before.schema)) await pause(20);
  // So that a reader still holds what is being replaced.
  for (let round = 0; round < 2; round += 1) await maintenance.rebuild("all", noProgress);
  const [last] = (await readGenerations(stores.db)).filter(
    ({ projection, state }) => projection === "payments" && state === "live",
  );
  while (last !== undefined && !schemas.has(last.schema)) await pause(20);
  isOver = true;
  await load;
  assert.equal(gaps, []);
  assert.ok(schemas.size >= 2, `read from ${[...schemas].join(", ")}`);
  assert.ok(before !== undefined);
  assert.equal(
    (await states()).filter(([, , state]) => state === "live").map(([projection]) => projection),
    ["accounts", "balances", "payments"],
  );
  const [facts] = await maintenance.verify(noProgress);
  assert.equal(
    facts?.tables.map(({ differences }) => differences),
    [[], []],
  );
  await projector.stop();
  await readers.destroy();
});

test("a new version is built beside, by itself, and then live; the old one stays for its readers for a while", async () => {
  const first = projectorOf([payments, balances]);
  await first.start();
  const early = await pay();
  assert.is(await first.waitForPosition("facts", early, timeoutMs), true);
  await first.stop();

  const newer: Projection = { ...payments, version: 2 };
  const second = projectorOf([newer, balances]);
  await second.start();
  const last = await pay();
  assert.is(await second.waitForPosition("facts", last, timeoutMs), true);
  assert.equal(await states(), [
    ["balances", 1, "live"],
    ["payments", 2, "live"],
    ["payments", 1, "retired"],
  ]);
  const current = await createReadModels(stores.db, [newer]).live("payments");
  assert.is((await rowsOf(current.db, newer, current.schema)).payments?.length, 2);
  const former = await createReadModels(stores.db, [payments]).live("payments");
  assert.is((await rowsOf(former.db, payments, former.schema)).payments?.length, 1);

  await stores
    .db("touchledger.generations")
    .where({ state: "retired" })
    .update({ drop_after: new Date(0) });
  assert.equal(await dropExpired(stores.db), [former.schema]);
  assert.equal(await states(), [
    ["balances", 1, "live"],
    ["payments", 2, "live"],
  ]);
  await second.stop();
});

test("what a killed build has left is cleared away by the next", async () => {
  const projector = projectorOf([payments]);
  await projector.start();
  assert.is(await projector.waitForPosition("facts", await pay(), timeoutMs), true);
  await stores.db.raw("create schema payments_v1_77");
  await stores.db("touchledger.generations").insert({
    schema_name: "payments_v1_77",
    projection: "payments",
    version: 1,
    build: 77,
    group_name: "facts",
    state: "building",
  });
  await rebuild(stores.db, stores.log, "facts", [payments], { graceMs: 0 });
  assert.equal(await states(), [
    ["payments", 1, "live"],
    ["payments", 1, "retired"],
  ]);
  await projector.stop();
});

test("a read model has the indexes that queries need, from the start and rebuilt", async () => {
  const projector = projectorOf([payments]);
  await projector.start();
  assert.is(await projector.waitForPosition("facts", await pay(), timeoutMs), true);
  await rebuild(stores.db, stores.log, "facts", [payments], { graceMs: 60_000 });
  const { rows } = await stores.db.raw(
    `select state, array_agg(indexname::text order by indexname) as indexes
       from pg_indexes join touchledger.generations on schemaname = schema_name
      group by state order by state`,
  );
  const indexes = ["payments_account_idx", "payments_pkey"];
  assert.equal(rows, [
    { state: "live", indexes },
    { state: "retired", indexes },
  ]);
  await projector.stop();
});

test("a rebuild is refused for another version than the server's, and twice at a time", async () => {
  const projector = projectorOf([payments, balances]);
  await projector.start();
  assert.is(await projector.waitForPosition("facts", await pay(), timeoutMs), true);
  const refusal = (projection: Projection) =>
    rebuild(stores.db, stores.log, "facts", [projection], { graceMs: 0 }).catch((failure: Error) => failure.message);
  assert.is(
    await refusal({ ...payments, version: 2 }),
    "The server applies version 1 of projection payments, this program has version 2. " +
      "Start the server in this version: it builds the new one by itself.",
  );
  const [once, twice] = await Promise.all([refusal(balances), refusal(balances)]);
  assert.equal(
    [once, twice].filter((message) => message !== undefined),
    ["Projection balances is being built by another process."],
  );
  await projector.stop();
});

test.run();
