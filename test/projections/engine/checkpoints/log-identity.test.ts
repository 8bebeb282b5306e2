import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LogReader } from "../../../../projections/engine/runner/log-reader.ts";
import { openEngine, reached, type TestEngine } from "../engine.ts";
import { ledger, payment, payments } from "../ledger.ts";
import { startLog } from "../stores.ts";

const test = suite("identity of the log");
const onePayment = payment(1);

let engine: TestEngine;
test.before.each(async () => {
  engine = await openEngine();
});
test.after.each(() => engine.close());

async function givenReadModels(): Promise<void> {
  const projector = await engine.start(ledger);
  const last = await engine.append("account-1", onePayment, onePayment);
  await reached(projector, last);
  await reached(projector, last, "control");
  await projector.stop();
}

async function refusalOf(log: LogReader): Promise<string> {
  const projector = engine.projector(ledger, { log });
  const refusal = await projector.start().then(
    () => "",
    (failure: Error) => `${failure.name}: ${failure.message}`,
  );
  await projector.stop();
  return refusal;
}

test("read models of another log are rejected until all are rebuilt", async () => {
  await givenReadModels();
  const other = await startLog();
  const last = await other.append("account-5", onePayment);
  assert.match(
    await refusalOf(other.log),
    /^WrongLog: The read models of group \w+ were built from log [0-9a-f-]+, but this is log [0-9a-f-]+\. .*`touchledger projection rebuild --all`/,
  );
  const operator = await engine.operator(ledger, other.log);
  const noProgress = (): void => undefined;
  const refusals = [operator.rebuild(["payments"], noProgress), operator.verify(noProgress)];
  assert.equal(await Promise.all(refusals.map((refused) => refused.then(String, String))), [
    "WrongLog: The read models were built from another log: rebuild all of them.",
    "WrongLog: The read models were built from another log.",
  ]);
  const ticks = () => engine.db("touchledger.log_clock").where({ position: 77 });
  await ticks().insert({ position: 77, recorded_at: new Date() });
  await operator.rebuild("all", noProgress);
  assert.equal(await ticks(), []);

  const projector = await engine.start(ledger, { log: other.log });
  await reached(projector, last);
  assert.is((await engine.rows(payments)).length, 1);
  await projector.stop();
  await other.close();
});

test("a log that has lost its last events is rejected", async () => {
  await givenReadModels();
  const shorter: LogReader = { ...engine.log, eventAt: async () => null };
  assert.match(
    await refusalOf(shorter),
    /^WrongLog: .* where the event log has no event: the log has lost some since\./,
  );
});

test("rebuilding all read models of another log is rejected while a server runs", async () => {
  await givenReadModels();
  const other = await startLog();
  const server = await engine.start(ledger);
  await reached(server, await engine.append("account-2", onePayment));
  const operator = await engine.operator(ledger, other.log);
  const refused = await operator.rebuild("all", () => undefined).catch((failure: Error) => failure.message);
  assert.is(refused, "A server is running the projections. Stop it first.");
  await other.close();
});

test.run();
