import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readCheckpoint } from "../../../../projections/engine/checkpoints/checkpoint.ts";
import { pollForPosition } from "../../../../projections/engine/checkpoints/wait-for-position.ts";
import { requireEpoch, runAsLeader } from "../../../../projections/engine/leader/leader-election.ts";
import { applyBatch } from "../../../../projections/engine/runner/apply-batch.ts";
import { createProjector, type Projector } from "../../../../projections/engine/runner/projector.ts";
import type { Projection } from "../../../../projections/projection.ts";
import { createReadModels } from "../../../../projections/read-models.ts";
import { rowsOf } from "../../split-property.ts";
import { silentEngineLog } from "../engine-log.ts";
import { paid, payment, payments } from "../ledger.ts";
import { connectDatabase, openStores, type Stores } from "../stores.ts";

const test = suite("one runner of a deployment");
const timeoutMs = 20_000;

let stores: Stores;
test.before.each(async () => {
  stores = await openStores();
});
test.after.each(() => stores.close());

async function append(count: number) {
  let last = await stores.append("account-9", payment(1));
  for (const { stream, event } of paid(count)) last = await stores.append(stream, event);
  return last;
}

function projectorOn(db = stores.db, projections: readonly Projection[] = [payments]): Projector {
  return createProjector({ db, log: stores.log, projections, engineLog: silentEngineLog });
}

test("a second runner waits, is told of what the first commits, and takes over when that is gone", async () => {
  const other = connectDatabase(stores.databaseUrl);
  const first = projectorOn();
  await first.start();
  const early = await append(3);
  assert.is(await first.waitForPosition("facts", early, timeoutMs), true);
  const second = projectorOn(other);
  await second.start();
  assert.is(await second.waitForPosition("facts", early, timeoutMs), true);
  assert.is((await second.status()).isRunning, false);
  assert.is(await pollForPosition(other, [payments])("facts", early, 0), true);

  await first.stop();
  const last = await stores.append("account-8", payment(1));
  assert.is(await second.waitForPosition("facts", last, timeoutMs), true);
  assert.is((await second.status()).isRunning, true);
  await second.stop();
  await other.destroy();
});

test("a runner that has lost its lock cannot commit any more", async () => {
  const first = projectorOn();
  await first.start();
  const early = await append(3);
  assert.is(await first.waitForPosition("facts", early, timeoutMs), true);
  const before = await readCheckpoint(stores.db, "facts");
  await stores.db.raw(
    `select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
  );
  const last = await stores.append("account-8", payment(1));
  assert.is(await first.waitForPosition("facts", last, timeoutMs), true);
  const after = await readCheckpoint(stores.db, "facts");
  assert.ok((after?.epoch ?? 0n) > (before?.epoch ?? 0n), "it took the role again, in a later epoch");
  await first.stop();

  // Given the former holder of the role, which has not noticed, with a batch of its own
  const late = { group: "facts", projections: [payments], epoch: before?.epoch ?? 0n, clock: null } as const;
  const batch = (await stores.all()).slice(-1);
  const refused = await applyBatch(stores.db, late, last, batch).catch((failure: Error) => failure.name);
  assert.is(refused, "Fenced");
  assert.equal(await readCheckpoint(stores.db, "facts"), after);
  const { db, schema } = await createReadModels(stores.db, [payments]).live("payments");
  assert.is((await rowsOf(db, payments, schema)).payments?.length, 5);
});

test("a role's late writes are refused once another has it", async () => {
  await projectorOn().stop();
  const first = projectorOn();
  await first.start();
  await first.stop();
  const epochs: bigint[] = [];
  const stop = new AbortController();
  await runAsLeader(stores.db, "reporter", stop.signal, silentEngineLog, async ({ epoch }) => {
    epochs.push(epoch);
    if (epochs.length === 2) stop.abort();
  });
  const [former = 0n, current = 0n] = epochs;
  await stores.db.transaction((trx) => requireEpoch(trx, "reporter", current));
  const refused = await stores.db
    .transaction((trx) => requireEpoch(trx, "reporter", former))
    .catch((failure: Error) => failure.name);
  assert.equal([refused, current > former], ["Fenced", true]);
});

test.run();
