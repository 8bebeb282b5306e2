import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LogPosition } from "../../../../domain/event.ts";
import type { RecordedEvent } from "../../../../domain/event-catalogue.ts";
import { isException } from "../../../../projections/engine/parking/find-poison.ts";
import type { Projection } from "../../../../projections/projection.ts";
import { openEngine, reached, type TestEngine } from "../engine.ts";
import { balances, payment, payments } from "../ledger.ts";

const test = suite("events for which a projection throws");
const noProgress = (): void => undefined;
const wrongShape = 13;

let engine: TestEngine;
test.before.each(async () => {
  engine = await openEngine();
});
test.after.each(() => engine.close());

const pay = (account: string, amount: number) => engine.append(account, payment(amount));
const amountOf = ({ data }: RecordedEvent) => (data as unknown as { readonly amount: number }).amount;

/** The projection, throwing `failure` for payments of 13, at most so many times; statements are in flight then. */
function throwing(projection: Projection, failure: () => Error, times = Number.POSITIVE_INFINITY): Projection {
  let thrown = 0;
  return {
    ...projection,
    apply: async (trx, schema, batch) => {
      const applied = projection.apply(trx, schema, batch);
      if (batch.some((event) => amountOf(event) === wrongShape) && thrown < times) {
        thrown += 1;
        void applied.catch(() => undefined);
        throw failure();
      }
      await applied;
    },
  };
}
const typeError = () => new TypeError("Cannot read properties of undefined (reading 'id')");

async function givenEvents(): Promise<{ readonly bad: LogPosition; readonly last: LogPosition }> {
  await pay("account-1", 1);
  await pay("account-1", 2);
  const bad = await pay("account-1", wrongShape);
  await pay("account-1", 4);
  return { bad, last: await pay("account-2", 5) };
}

async function amounts() {
  const rows = (await engine.rows(payments)) as readonly { readonly amount: number }[];
  return rows.map(({ amount }) => amount).sort((one, other) => one - other);
}

async function accountBalances() {
  const rows = (await engine.rows(balances)) as readonly { readonly account: string; readonly balance: number }[];
  return rows.map(({ account, balance }) => [account, balance]);
}

test("are parked only by that projection; all others are applied", async () => {
  const projections = [throwing(payments, typeError), balances];
  const projector = engine.projector(projections);
  const operator = await engine.operator(projections);
  const { bad, last } = await givenEvents();
  await projector.start();
  await reached(projector, last);
  assert.equal(await amounts(), [1, 2, 4, 5]);
  assert.equal(await accountBalances(), [
    ["account-1", 20],
    ["account-2", 5],
  ]);
  assert.equal(
    (await operator.parked()).map(({ projection, position, error }) => [projection, position, error]),
    [["payments", bad, `TypeError: ${typeError().message}`]],
  );
  assert.equal(await operator.retry("payments"), { applied: 0, stillParked: 1 });
  const failure = (await operator.rebuild(["payments"], noProgress).catch((thrown: Error) => thrown)) as Error;
  const [{ eventId, error } = { eventId: "", error: "" }] = await operator.parked();
  assert.is(error, `TypeError: ${typeError().message}`);
  assert.equal(
    [failure.name, failure.message],
    [
      "PoisonEvent",
      `Projection payments cannot apply Paid at position ${bad.commit} (stream account-1, event ${eventId}): ${error}. ` +
        "If it is parked (`touchledger projection parked`), retry or skip it first; while the read model has no live " +
        "generation, it can only be skipped.",
    ],
  );
  const [verified] = await operator.verify(noProgress);
  assert.equal(
    verified?.tables.map(({ differences }) => differences),
    [[], []],
  );
  await operator.skip("payments", bad.commit);
  await operator.rebuild("all", noProgress);
  assert.equal(await amounts(), [1, 2, 4, 5]);
});

test("are parked with a reason that Postgres could not store", async () => {
  const projector = engine.projector([throwing(payments, () => new TypeError("no \u0000 here"))]);
  const operator = await engine.operator([payments]);
  const { last } = await givenEvents();
  await projector.start();
  await reached(projector, last);
  assert.equal(
    (await operator.parked()).map(({ error }) => error),
    ["TypeError: no \\u0000 here"],
  );
});

test("park the later events of their stream, if the projection parks by stream", async () => {
  const projections = [payments, throwing(balances, typeError)];
  const projector = engine.projector(projections);
  const { last } = await givenEvents();
  await projector.start();
  await reached(projector, last);
  assert.equal(await amounts(), [1, 2, 4, 5, wrongShape]);
  assert.equal(await accountBalances(), [
    ["account-1", 3],
    ["account-2", 5],
  ]);
  assert.is((await projector.status()).parked, 2);
});

for (const [what, failure, times] of [
  ["an exception that does not repeat", typeError, 1],
  ["a lost connection", () => new Error("Connection terminated unexpectedly"), 3],
] as const) {
  test(`${what} parks nothing`, async () => {
    const projector = engine.projector([throwing(payments, failure, times)]);
    const { last } = await givenEvents();
    await projector.start();
    await reached(projector, last);
    assert.equal(await amounts(), [1, 2, 4, 5, wrongShape]);
    assert.is((await projector.status()).parked, 0);
  });
}

test("failures of the connection and of the machine are not blamed on events", () => {
  const coded = (code: string) => Object.assign(new Error("failed"), { code });
  const named = (name: string) => Object.assign(new Error("failed"), { name });
  for (const failure of [
    new Error("Connection terminated unexpectedly"),
    new Error("Query read timeout"),
    new Error("Client has encountered a connection error and is not queryable"),
    new Error("Transaction query already complete, run with DEBUG=knex:tx for more info"),
    coded("ECONNRESET"),
    coded("57P01"),
    coded("40001"),
    named("KnexTimeoutError"),
    named("Fenced"),
  ]) {
    assert.is(isException(failure), false, `${failure.name} ${failure.message}`);
  }
  assert.is(isException(typeError()), true);
  assert.is(isException(new TypeError("Cannot read properties of undefined (reading 'transactionId')")), true);
  assert.is(isException(new RangeError("Invalid time value")), true);
});

test("that stop their group fail verify and rebuild, until they are skipped", async () => {
  // As a failure of the connection: never parked.
  const projections = [throwing(payments, () => new Error("Connection terminated unexpectedly"))];
  const projector = engine.projector(projections);
  const operator = await engine.operator(projections, engine.log, 0);
  await projector.start();
  await reached(projector, await pay("account-1", 1));
  const bad = await pay("account-1", wrongShape);
  const last = await pay("account-1", 2);
  for (const command of [() => operator.verify(noProgress), () => operator.rebuild("all", noProgress)]) {
    const refused = (await command().catch((thrown: Error) => thrown)) as Error;
    assert.is(refused.name, "RebuildRefused");
    assert.match(refused.message, /^Group facts is at position \d+, the log's head is \d+/);
  }
  await operator.skip("payments", bad.commit);
  await reached(projector, last);
  assert.equal(await amounts(), [1, 2]);
  const passed = await operator.skip("payments", last.commit).catch((thrown: Error) => thrown.name);
  assert.is(passed, "NotParked");
  assert.is((await operator.verify(noProgress))[0]?.group, "facts");
});

test.run();
