import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type OperatorCommands,
  openOperatorCommands,
} from "../../../../projections/engine/maintenance/operator-commands.ts";
import { createProjector, type Projector } from "../../../../projections/engine/runner/projector.ts";
import { createReadModels } from "../../../../projections/read-models.ts";
import { silentEngineLog } from "../engine-log.ts";
import { balances, ledger, opened, paid, payment } from "../ledger.ts";
import { openStores, type Stores } from "../stores.ts";

const test = suite("verify");
const timeoutMs = 20_000;

let stores: Stores;
let projector: Projector;
let maintenance: OperatorCommands;
test.before.each(async () => {
  stores = await openStores();
  projector = createProjector({ db: stores.db, log: stores.log, projections: ledger, engineLog: silentEngineLog });
  maintenance = await openOperatorCommands(stores.db, stores.log, ledger, silentEngineLog);
  await projector.start();
  for (const { stream, event } of paid(30)) await stores.append(stream, event);
  const last = await stores.append("account-1", opened);
  assert.is(await projector.waitForPosition("facts", last, timeoutMs), true);
  assert.is(await projector.waitForPosition("control", last, timeoutMs), true);
});
test.after.each(async () => {
  await projector.stop();
  await stores.close();
});

const noProgress = (): void => undefined;

test("finds every table equal to its replay, while events come in", async () => {
  let isOver = false;
  const load = (async () => {
    while (!isOver) await stores.append("account-7", payment(1));
  })();
  const verifications = await maintenance.verify(noProgress);
  isOver = true;
  await load;
  assert.equal(
    verifications.map(({ group, tables }) => [
      group,
      tables.map(({ table, liveHash, replayedHash, liveRows, replayedRows, differences }) => [
        table,
        liveHash === replayedHash,
        liveRows === replayedRows,
        differences,
      ]),
    ]),
    [
      [
        "facts",
        [
          ["payments", true, true, []],
          ["balances", true, true, []],
        ],
      ],
      ["control", [["accounts", true, true, []]]],
    ],
  );
  assert.is((await stores.db("touchledger.generations").where({ state: "building" })).length, 0);
});

test("names the table and the key of a row that was changed, removed or added", async () => {
  const { schema } = await createReadModels(stores.db, ledger).live("balances");
  await stores.db.raw(`update ${schema}.balances set balance = balance + 1 where account = 'account-2'`);
  await stores.db.raw(`delete from ${schema}.balances where account = 'account-3'`);
  await stores.db.raw(`insert into ${schema}.balances values ('account-x', 5, 5, 1)`);
  const [facts, control] = await maintenance.verify(noProgress);
  const [payments, changed] = facts?.tables ?? [];
  assert.equal([payments?.differences, control?.tables[0]?.differences], [[], []]);
  assert.is(changed?.projection, balances.name);
  assert.is(changed?.table, "balances");
  assert.is.not(changed?.liveHash, changed?.replayedHash);
  const balance = (row: unknown) => (row as { balance: number } | null)?.balance ?? null;
  assert.equal(
    changed?.differences.map(({ key, live, replayed }) => [key, balance(live), balance(replayed)]),
    [
      [{ account: "account-2" }, 37, 36],
      [{ account: "account-3" }, null, 39],
      [{ account: "account-x" }, 5, null],
    ],
  );
});

test.run();
