import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { EventMetadata, LogPosition } from "../../../../domain/event.ts";
import {
  type OperatorCommands,
  openOperatorCommands,
} from "../../../../projections/engine/maintenance/operator-commands.ts";
import { createProjector, type Projector } from "../../../../projections/engine/runner/projector.ts";
import { createReadModels } from "../../../../projections/read-models.ts";
import { rowsOf } from "../../split-property.ts";
import { silentEngineLog } from "../engine-log.ts";
import { balances, payment, payments, tooMuch } from "../ledger.ts";
import { openStores, type Stores } from "../stores.ts";

const test = suite("events that cannot be applied");
const projections = [payments, balances];
const timeoutMs = 20_000;

let stores: Stores;
let projector: Projector;
let maintenance: OperatorCommands;
test.before.each(async () => {
  stores = await openStores();
  projector = createProjector({ db: stores.db, log: stores.log, projections, engineLog: silentEngineLog });
  maintenance = await openOperatorCommands(stores.db, stores.log, projections, silentEngineLog);
});
test.after.each(async () => {
  await projector.stop();
  await stores.close();
});

/** Two good payments, one that is too much, one after it, and one into another account; all of it passed. */
async function givenPoison(): Promise<{ readonly poison: LogPosition; readonly behind: LogPosition }> {
  await pay("account-1", 1);
  await pay("account-1", 2);
  const poison = await pay("account-1", tooMuch);
  const behind = await pay("account-1", 4);
  await projector.start();
  const last = await pay("account-2", 5);
  assert.is(await projector.waitForPosition("facts", last, timeoutMs), true);
  return { poison, behind };
}

const pay = (account: string, amount: number) => stores.append(account, payment(amount));

async function parked() {
  return (await maintenance.parked()).map(({ projection, position, error }) => [projection, position, error]);
}

async function amounts(): Promise<{ readonly payments: readonly unknown[]; readonly balances: readonly unknown[] }> {
  const readModels = createReadModels(stores.db, projections);
  const { db, schema } = await readModels.live("payments");
  const { payments: paid = [] } = await rowsOf(db, payments, schema);
  const { balances: accounts = [] } = await rowsOf(db, balances, (await readModels.live("balances")).schema);
  return {
    payments: paid.map((row) => (row as { amount: number }).amount).sort((a, b) => a - b),
    balances: accounts.map((row) => [(row as { account: string }).account, (row as { balance: number }).balance]),
  };
}

const cause = (table: string, column: string) =>
  `new row for relation "${table}" violates check constraint "${table}_${column}_check"`;

test("are set aside one by one or with their stream, the others are applied", async () => {
  const { poison, behind } = await givenPoison();
  assert.equal(await amounts(), {
    payments: [1, 2, 4, 5],
    balances: [
      ["account-1", 3],
      ["account-2", 5],
    ],
  });
  const found = await parked();
  assert.equal(
    found.map(([projection, position]) => [projection, position]),
    [
      ["balances", poison],
      ["payments", poison],
      ["balances", behind],
    ],
  );
  assert.ok(String(found[0]?.[2]).startsWith(cause("balances", "largest")));
  assert.ok(String(found[1]?.[2]).startsWith(cause("payments", "amount")));
  assert.is(found[2]?.[2], "an earlier event of its stream is parked");
  const { isDegraded, parked: count } = await projector.status();
  assert.equal({ isDegraded, count }, { isDegraded: true, count: 3 });
});

test("hold back what comes later into their stream", async () => {
  await givenPoison();
  assert.is(await projector.waitForPosition("facts", await pay("account-1", 6), timeoutMs), true);
  assert.equal(await amounts(), {
    payments: [1, 2, 4, 5, 6],
    balances: [
      ["account-1", 3],
      ["account-2", 5],
    ],
  });
  assert.is((await parked()).length, 4);
});

test("are applied by a retry, in their order, once their fault is mended", async () => {
  await givenPoison();
  assert.equal(await maintenance.retry("balances"), { applied: 0, stillParked: 2 });
  const { schema } = await createReadModels(stores.db, projections).live("balances");
  await stores.db.raw(`alter table ${schema}.balances drop constraint balances_largest_check`);
  assert.equal(await maintenance.retry("balances"), { applied: 2, stillParked: 0 });
  assert.equal((await amounts()).balances, [
    ["account-1", 3 + tooMuch + 4],
    ["account-2", 5],
  ]);
  assert.equal(
    (await parked()).map(([projection]) => projection),
    ["payments"],
  );
});

test("are left out for good by a skip, which lets those behind them through", async () => {
  const { poison } = await givenPoison();
  assert.equal(await maintenance.skip("balances", poison.commit), { applied: 1, stillParked: 0 });
  assert.equal(await maintenance.skip("payments", poison.commit), { applied: 0, stillParked: 0 });
  assert.equal(await amounts(), {
    payments: [1, 2, 4, 5],
    balances: [
      ["account-1", 7],
      ["account-2", 5],
    ],
  });
  assert.equal(await parked(), []);
  assert.is((await projector.status()).isDegraded, false);
  await maintenance.rebuild("all", () => undefined);
  const [verified] = await maintenance.verify(() => undefined);
  assert.equal(
    verified?.tables.map(({ differences }) => differences),
    [[], []],
  );
  assert.equal((await amounts()).balances, [
    ["account-1", 7],
    ["account-2", 5],
  ]);
});

test("are set aside when their bytes cannot be understood", async () => {
  await projector.start();
  // As by a stranger: metadata that is not ours.
  const strange = { id: randomUUID(), type: "Paid", data: { amount: 1 }, metadata: {} as EventMetadata };
  const appended = await stores.log.append("account-4", "no_stream", [strange]);
  const place = appended.outcome === "appended" ? appended.position : null;
  assert.is(await projector.waitForPosition("facts", place, timeoutMs), true);
  assert.equal(await parked(), [
    ["balances", place, "metadata lacks a numeric schemaVersion"],
    ["payments", place, "metadata lacks a numeric schemaVersion"],
  ]);
});

test("make a rebuild fail and change nothing", async () => {
  const { poison } = await givenPoison();
  const before = await stores.db("touchledger.generations").orderBy("schema_name");
  const failure = await maintenance.rebuild(["payments"], () => undefined).catch((thrown: Error) => thrown);
  assert.instance(failure, Error);
  assert.is((failure as Error).name, "PoisonEvent");
  assert.ok(
    (failure as Error).message.startsWith(`Projection payments cannot apply Paid at position ${poison.commit} (`),
  );
  assert.equal(await stores.db("touchledger.generations").orderBy("schema_name"), before);
});

test("are left out of a verification too", async () => {
  await givenPoison();
  const [verified] = await maintenance.verify(() => undefined);
  assert.is(verified?.parked, 3);
  assert.equal(
    verified?.tables.map(({ table, liveRows, replayedRows, differences }) => [
      table,
      liveRows,
      replayedRows,
      differences,
    ]),
    [
      ["payments", 4, 4, []],
      ["balances", 2, 2, []],
    ],
  );
});

test.run();
