import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openOperatorCommands } from "../../../../projections/engine/maintenance/operator-commands.ts";
import type { LogReader } from "../../../../projections/engine/runner/log-reader.ts";
import { createProjector, type Projector } from "../../../../projections/engine/runner/projector.ts";
import { createReadModels } from "../../../../projections/read-models.ts";
import { rowsOf } from "../../split-property.ts";
import { silentEngineLog } from "../engine-log.ts";
import { ledger, payment, payments } from "../ledger.ts";
import { openStores, type Stores, startLog } from "../stores.ts";

const test = suite("identity of the log");
const timeoutMs = 20_000;
const onePayment = payment(1);

let stores: Stores;
test.before.each(async () => {
  stores = await openStores();
});
test.after.each(() => stores.close());

function projectorOn(log: LogReader): Projector {
  return createProjector({ db: stores.db, log, projections: ledger, engineLog: silentEngineLog });
}

async function givenReadModels(): Promise<void> {
  const projector = projectorOn(stores.log);
  await projector.start();
  const last = await stores.append("account-1", onePayment, onePayment);
  assert.is(await projector.waitForPosition("facts", last, timeoutMs), true);
  assert.is(await projector.waitForPosition("control", last, timeoutMs), true);
  await projector.stop();
}

async function refusalOf(log: LogReader): Promise<string> {
  const projector = projectorOn(log);
  const refusal = await projector.start().then(
    () => "",
    (failure: Error) => `${failure.name}: ${failure.message}`,
  );
  await projector.stop();
  return refusal;
}

test("another log than that of the read models is refused; rebuilding all of them mends it", async () => {
  await givenReadModels();
  const other = await startLog();
  const last = await other.append("account-5", onePayment);
  assert.match(
    await refusalOf(other.log),
    /^WrongLog: The read models of group \w+ were built from log [0-9a-f-]+, but this is log [0-9a-f-]+\. .*`touchledger projection rebuild --all`/,
  );
  const maintenance = await openOperatorCommands(stores.db, other.log, ledger, silentEngineLog);
  const refused = await maintenance.rebuild(["payments"], () => undefined).catch((failure: Error) => failure.name);
  assert.is(refused, "WrongLog");
  await maintenance.rebuild("all", () => undefined);

  const projector = projectorOn(other.log);
  await projector.start();
  assert.is(await projector.waitForPosition("facts", last, timeoutMs), true);
  const { db, schema } = await createReadModels(stores.db, ledger).live("payments");
  assert.is((await rowsOf(db, payments, schema)).payments?.length, 1);
  await projector.stop();
  await other.close();
});

test("a log that has lost its end is refused", async () => {
  await givenReadModels();
  const shorter: LogReader = { ...stores.log, eventAt: async () => null };
  assert.match(
    await refusalOf(shorter),
    /^WrongLog: .* where the event log has no event: the log has lost some since\./,
  );
});

test("rebuilding everything is refused while a server runs on read models of another log", async () => {
  await givenReadModels();
  const other = await startLog();
  const server = projectorOn(stores.log);
  await server.start();
  assert.is(await server.waitForPosition("facts", await stores.append("account-2", onePayment), timeoutMs), true);
  const maintenance = await openOperatorCommands(stores.db, other.log, ledger, silentEngineLog);
  const refused = await maintenance.rebuild("all", () => undefined).catch((failure: Error) => failure.message);
  assert.is(refused, "A server is running the projections. Stop it first.");
  await server.stop();
  await other.close();
});

test.run();
