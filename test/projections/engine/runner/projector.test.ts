import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createProjector, type Projector } from "../../../../projections/engine/runner/projector.ts";
import type { Projection } from "../../../../projections/projection.ts";
import { createReadModels } from "../../../../projections/read-models.ts";
import { rowsOf } from "../../split-property.ts";
import { silentEngineLog } from "../engine-log.ts";
import { accounts, balances, ledger, opened, paid, payment, payments } from "../ledger.ts";
import { openStores, type Stores } from "../stores.ts";

const test = suite("projector");
const timeoutMs = 20_000;

let stores: Stores;
test.before.each(async () => {
  stores = await openStores();
});
test.after.each(() => stores.close());

function projectorOf(projections: readonly Projection[], maxBatch = 1_000): Projector {
  return createProjector({ db: stores.db, log: stores.log, projections, engineLog: silentEngineLog, maxBatch });
}

async function liveRows(projection: Projection) {
  const { db, schema } = await createReadModels(stores.db, [projection]).live(projection.name);
  return rowsOf(db, projection, schema);
}

async function append(count: number) {
  let last = await stores.append("account-9", payment(1));
  for (const { stream, event } of paid(count)) last = await stores.append(stream, event);
  return last;
}

test("applies what the log holds and what comes after", async () => {
  const projector = projectorOf(ledger);
  await stores.append("account-1", opened, payment(3));
  await projector.start();
  const last = await stores.append("account-1", payment(4));
  assert.is(await projector.waitForPosition("facts", last, timeoutMs), true);
  assert.is(await projector.waitForPosition("control", last, timeoutMs), true);
  assert.equal(await liveRows(accounts), { accounts: [{ account: "account-1" }] });
  assert.equal(await liveRows(balances), {
    balances: [{ account: "account-1", balance: 7, largest: 4, position: Number(last.commit) }],
  });
  const { groups, isDegraded, isRunning, head } = await projector.status();
  assert.equal(
    groups.map(({ group, place, lagPositions, lagSeconds, failing, events }) => [
      group,
      place,
      lagPositions,
      lagSeconds,
      failing,
      events,
    ]),
    [
      ["facts", last, 0n, 0, null, 4n],
      ["control", last, 0n, 0, null, 4n],
    ],
  );
  assert.equal({ isDegraded, isRunning, head }, { isDegraded: false, isRunning: true, head: last });
  await projector.stop();
});

test("goes on where it stopped", async () => {
  const first = projectorOf(ledger);
  await first.start();
  assert.is(await first.waitForPosition("facts", await append(10), timeoutMs), true);
  await first.stop();
  const last = await stores.append("account-8", anotherPayment);
  const second = projectorOf(ledger);
  await second.start();
  assert.is(await second.waitForPosition("facts", last, timeoutMs), true);
  assert.is((await liveRows(payments)).payments?.length, 12);
  await second.stop();
});

test("lets one group go on while the other cannot, which then catches up", async () => {
  let broken = true;
  const flaky: Projection = {
    ...payments,
    apply: async (...given) => {
      if (broken) throw new Error("The disk is full.");
      await payments.apply(...given);
    },
  };
  const projector = projectorOf([flaky, balances, accounts], 5);
  await projector.start();
  const last = await append(100);
  assert.is(await projector.waitForPosition("control", last, timeoutMs), true);
  assert.is(await projector.waitForPosition("facts", last, 0), false);
  const status = await projector.status();
  assert.equal(
    status.groups.map(({ group, failing, lagPositions }) => [group, failing, lagPositions > 0n]),
    [
      ["facts", "The disk is full.", true],
      ["control", null, false],
    ],
  );
  assert.is(status.isDegraded, true);
  broken = false;
  assert.is(await projector.waitForPosition("facts", last, timeoutMs), true);
  assert.is((await liveRows(payments)).payments?.length, 101);
  assert.is((await projector.status()).isDegraded, false);
  await projector.stop();
});

test("goes back with a database that has lost its last commits", async () => {
  const projector = projectorOf([payments]);
  await projector.start();
  const early = await append(5);
  assert.is(await projector.waitForPosition("facts", early, timeoutMs), true);
  const kept = await stores.db("touchledger.checkpoints").where({ group_name: "facts" }).first();
  const rows = await liveRows(payments);
  assert.is(
    await projector.waitForPosition("facts", await stores.append("account-8", anotherPayment), timeoutMs),
    true,
  );
  // As after a crash of Postgres, whose last commits were not yet on disk.
  const { schema } = await createReadModels(stores.db, [payments]).live("payments");
  await stores.db.transaction(async (trx) => {
    await trx("touchledger.checkpoints").where({ group_name: "facts" }).update(kept);
    await trx.raw(`delete from ${schema}.payments where position > ?`, [String(early.commit)]);
  });
  assert.equal(await liveRows(payments), rows);
  const last = await stores.append("account-8", anotherPayment);
  const passed = async () => (await liveRows(payments)).payments?.length === 8;
  while (!(await passed())) await projector.waitForPosition("facts", { ...last, commit: last.commit + 1n }, 20);
  await projector.stop();
});

test("tells its listeners of every event since it started, and of what was committed", async () => {
  await append(3);
  const heard: string[] = [];
  const committed: string[] = [];
  const projector = createProjector({
    db: stores.db,
    log: stores.log,
    projections: [payments],
    engineLog: silentEngineLog,
    listeners: [(batch) => heard.push(...batch.map(({ type }) => type))],
  });
  projector.onCommit((group, batch) => committed.push(...batch.map(({ type }) => `${group} ${type}`)));
  await projector.start();
  const last = await stores.append("account-8", opened, anotherPayment);
  assert.is(await projector.waitForPosition("facts", last, timeoutMs), true);
  assert.equal(heard, ["Opened", "Paid"]);
  assert.equal(
    committed,
    ["LogOpened", "Paid", "Paid", "Paid", "Paid", "Opened", "Paid"].map((type) => `facts ${type}`),
  );
  await projector.stop();
});

const anotherPayment = payment(2);

test.run();
