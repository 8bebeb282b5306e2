import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { EventMetadata, LogPosition } from "../../../../domain/event.ts";
import type { OperatorCommands } from "../../../../projections/engine/maintenance/operator-commands.ts";
import type { Projector } from "../../../../projections/engine/runner/projector.ts";
import type { Projection } from "../../../../projections/projection.ts";
import { createReadModels } from "../../../../projections/read-models.ts";
import { openEngine, reached, type TestEngine } from "../engine.ts";
import { balances, payment, payments, tooMuch } from "../ledger.ts";

const test = suite("events that cannot be applied");
const projections = [payments, balances];

let engine: TestEngine;
let projector: Projector;
let operator: OperatorCommands;
test.before.each(async () => {
  engine = await openEngine();
  projector = engine.projector(projections);
  operator = await engine.operator(projections);
});
test.after.each(() => engine.close());

/** Two good payments, one that is too much, one after it, and one into another account; all of it passed. */
async function givenPoison(): Promise<{ readonly poison: LogPosition; readonly behind: LogPosition }> {
  await pay("account-1", 1);
  await pay("account-1", 2);
  const poison = await pay("account-1", tooMuch);
  const behind = await pay("account-1", 4);
  await projector.start();
  const last = await pay("account-2", 5);
  await reached(projector, last);
  return { poison, behind };
}

const pay = (account: string, amount: number) => engine.append(account, payment(amount));

async function parked() {
  return (await operator.parked()).map(({ projection, position, error }) => [projection, position, error]);
}

async function amounts() {
  const paid = (await engine.rows(payments)) as readonly { readonly amount: number }[];
  const accounts = (await engine.rows(balances)) as readonly { readonly account: string; readonly balance: number }[];
  return {
    payments: paid.map(({ amount }) => amount).sort((one, other) => one - other),
    balances: accounts.map(({ account, balance }) => [account, balance]),
  };
}

const cause = (table: string, column: string) =>
  `new row for relation "${table}" violates check constraint "${table}_${column}_check"`;

test("are parked one by one or with their stream; others are applied", async () => {
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

test("park later events of their stream", async () => {
  await givenPoison();
  await reached(projector, await pay("account-1", 6));
  assert.equal(await amounts(), {
    payments: [1, 2, 4, 5, 6],
    balances: [
      ["account-1", 3],
      ["account-2", 5],
    ],
  });
  assert.is((await parked()).length, 4);
});

test("are applied in order by a retry, once the cause is removed", async () => {
  await givenPoison();
  assert.equal(await operator.retry("balances"), { applied: 0, stillParked: 2 });
  const { schema } = await createReadModels(engine.db, projections).live("balances");
  await engine.db.raw(`alter table ${schema}.balances drop constraint balances_largest_check`);
  assert.equal(await operator.retry("balances"), { applied: 2, stillParked: 0 });
  assert.equal((await amounts()).balances, [
    ["account-1", 3 + tooMuch + 4],
    ["account-2", 5],
  ]);
  assert.equal(
    (await parked()).map(([projection]) => projection),
    ["payments"],
  );
});

test("are never applied after a skip, which applies those parked behind them", async () => {
  const { poison } = await givenPoison();
  assert.equal(await operator.skip("balances", poison.commit), { applied: 1, stillParked: 0 });
  assert.equal(await operator.skip("payments", poison.commit), { applied: 0, stillParked: 0 });
  assert.equal(await amounts(), {
    payments: [1, 2, 4, 5],
    balances: [
      ["account-1", 7],
      ["account-2", 5],
    ],
  });
  assert.equal(await parked(), []);
  assert.is((await projector.status()).isDegraded, false);
  await operator.rebuild("all", () => undefined);
  const [verified] = await operator.verify(() => undefined);
  assert.equal(
    verified?.tables.map(({ differences }) => differences),
    [[], []],
  );
  assert.equal((await amounts()).balances, [
    ["account-1", 7],
    ["account-2", 5],
  ]);
});

test("are parked one by one: a skip leaves the others of the stream to a retry", async () => {
  await projector.start();
  const poison = await pay("account-1", tooMuch);
  await reached(projector, await pay("account-1", tooMuch));
  const { schema } = await createReadModels(engine.db, projections).live("payments");
  await engine.db.raw(`alter table ${schema}.payments drop constraint payments_amount_check`);
  assert.equal(await operator.skip("payments", poison.commit), { applied: 0, stillParked: 1 });
  assert.equal(await operator.retry("payments"), { applied: 1, stillParked: 0 });
});

test("are not listed once no runner applies their read model", async () => {
  const { poison } = await givenPoison();
  await projector.stop();
  const other = await engine.start([payments]);
  await reached(other, await pay("account-2", 6));
  assert.equal(
    (await parked()).map(([projection, position]) => [projection, position]),
    [["payments", poison]],
  );
  assert.is((await other.status()).parked, 1);
});

test("are counted after a retry of one stream, or a skip, as those of the whole projection", async () => {
  const { poison } = await givenPoison();
  const another = await pay("account-2", tooMuch);
  await reached(projector, another);
  const ofFirst = await operator.retry("balances", "account-1");
  assert.equal(ofFirst, { applied: 0, stillParked: 3 });
  const failure = await operator.retry("balances", "account-9").catch((thrown: Error) => thrown);
  assert.is((failure as Error).message, "Projection balances has no parked event in stream account-9.");
  assert.equal(await operator.skip("balances", poison.commit), { applied: 1, stillParked: 1 });
  assert.equal(await operator.skip("balances", another.commit), { applied: 0, stillParked: 0 });
});

test("are parked when their data has no place in a column", async () => {
  await projector.start();
  const position = await pay("account-1", 2 ** 31);
  await reached(projector, position);
  const error = 'value "2147483648" is out of range for type integer';
  assert.equal(
    (await parked()).map(([projection, at, reason]) => [projection, at, String(reason).startsWith(error)]),
    [
      ["balances", position, true],
      ["payments", position, true],
    ],
  );
});

test("are parked when they cannot be decoded", async () => {
  await projector.start();
  // As by a stranger: metadata that is not ours.
  const strange = { id: randomUUID(), type: "Paid", data: { amount: 1 }, metadata: {} as EventMetadata };
  const appended = await engine.log.append("account-4", "no_stream", [strange]);
  const position = appended.outcome === "appended" ? appended.position : null;
  await reached(projector, position);
  assert.equal(await parked(), [
    ["balances", position, "metadata lacks a numeric schemaVersion"],
    ["payments", position, "metadata lacks a numeric schemaVersion"],
  ]);
});

test("make a rebuild fail, which changes nothing", async () => {
  const { poison } = await givenPoison();
  const before = await engine.db("touchledger.generations").orderBy("schema_name");
  const failure = await operator.rebuild(["payments"], () => undefined).catch((thrown: Error) => thrown);
  const [{ eventId } = { eventId: "" }] = await operator.parked("payments");
  const { name, message } = failure as Error;
  const row = `Failing row contains (${eventId}, account-1, ${tooMuch}, ${poison.commit}).`;
  assert.equal(
    [name, message],
    [
      "PoisonEvent",
      `Projection payments cannot apply Paid at position ${poison.commit} (stream account-1, event ${eventId}): ` +
        `${cause("payments", "amount")} (${row}). If it is parked (\`touchledger projection parked\`), retry or skip it ` +
        "first; while the read model has no live generation, it can only be skipped.",
    ],
  );
  assert.equal(await engine.db("touchledger.generations").orderBy("schema_name"), before);
});

test("are listed and skipped while they stop the build of a new version, also those that the old one applied", async () => {
  const { poison, behind } = await givenPoison();
  await projector.stop();
  const strict: Projection = {
    ...payments,
    version: 2,
    createTables: async (trx, schema) => {
      await payments.createTables(trx, schema);
      await trx.raw(`alter table ${schema}.payments add check (amount <> 4)`);
    },
  };
  const newer = await engine.start([strict, balances]);
  const last = await pay("account-2", 6);
  while ((await newer.status()).groups[0]?.failing == null) await nextTurn();
  const forNew = await engine.operator([strict, balances]);
  assert.equal(
    (await forNew.parked("payments")).map(({ position }) => position),
    [poison],
  );
  assert.is((await newer.status()).parked, 3);
  assert.equal(await forNew.retry("payments"), { applied: 0, stillParked: 1 });
  assert.equal(await forNew.skip("payments", poison.commit), { applied: 0, stillParked: 0 });
  assert.equal(await forNew.skip("payments", behind.commit), { applied: 0, stillParked: 0 });
  await reached(newer, last);
  const paid = (await engine.rows(strict)) as readonly { readonly amount: number }[];
  assert.equal(new Set(paid.map(({ amount }) => amount)), new Set([1, 2, 5, 6]));
  const refusal = await forNew.skip("payments", last.commit).catch((failure: Error) => failure.name);
  assert.is(refusal, "NotParked");
});

test("are skipped before they are applied only if they cannot be", async () => {
  const position = await pay("account-1", 1);
  await projector.start();
  await reached(projector, position);
  await projector.stop();
  const good = await pay("account-1", 2);
  const poison = await pay("account-1", tooMuch);
  const refusal = await operator.skip("payments", good.commit).catch(String);
  assert.is(
    refusal,
    `NotParked: Projection payments can apply the event at ${good.commit}, and will: it is not skipped.`,
  );
  assert.equal(await operator.skip("payments", poison.commit), { applied: 0, stillParked: 0 });
  await reached(await engine.start(projections), await pay("account-2", 5));
  assert.equal((await amounts()).payments, [1, 2, 5]);
});

for (const [what, statement] of [
  ["ends the connection", "select pg_terminate_backend(pg_backend_pid())"],
  ["fails for a reason that parks nothing", "do $$ begin raise 'no'; end $$"],
] as const) {
  test(`are skipped although applying them ${what}`, async () => {
    const fatal: Projection = {
      ...payments,
      apply: async (trx, schema, batch) => {
        if (batch.some(({ data }) => (data as { readonly amount?: number }).amount === 7)) await trx.raw(statement);
        await payments.apply(trx, schema, batch);
      },
    };
    const forFatal = await engine.operator([fatal]);
    const fatalProjector = engine.projector([fatal]);
    const first = await pay("account-1", 1);
    await fatalProjector.start();
    await reached(fatalProjector, first);
    const { commit } = await pay("account-1", 7);
    assert.equal(await forFatal.skip("payments", commit), { applied: 0, stillParked: 0 });
    await reached(fatalProjector, await pay("account-1", 2));
  });
}

test("are not skipped when the database or the event store fails", async () => {
  const position = await pay("account-1", 1);
  await projector.start();
  await reached(projector, position);
  await projector.stop();
  const { commit } = await pay("account-1", 2);
  const { schema } = await createReadModels(engine.db, projections).live("payments");
  await engine.db.raw(`
    create function refuse() returns trigger language plpgsql as $$
    begin
      raise 'could not extend file' using errcode = '53100';
    end $$;
    create trigger full_disk before insert on ${schema}.payments for each row execute function refuse()`);
  const refusal = await operator.skip("payments", commit).catch((failure: { readonly code: string }) => failure.code);
  assert.is(refusal, "53100");
  const away = { ...engine.log, eventAt: () => Promise.reject(new Error("the event store is away")) };
  const forAway = await engine.operator(projections, away);
  assert.match(await forAway.skip("payments", commit).then(() => "skipped", String), "the event store is away");
  const { rows } = await engine.db.raw("select from touchledger.skipped_events");
  assert.is(rows.length, 0);
});

test("are skipped in a transaction that waits for the disk", async () => {
  const { poison } = await givenPoison();
  await engine.db.raw(`
    create table commits (synchronous text);
    create function note_commit() returns trigger language plpgsql as $$
    begin
      insert into commits values (current_setting('synchronous_commit'));
      return null;
    end $$;
    create constraint trigger noted after insert on touchledger.skipped_events
    deferrable initially deferred for each row execute function note_commit()`);
  await operator.skip("payments", poison.commit);
  const { rows } = await engine.db.raw("select synchronous from commits");
  assert.equal(rows, [{ synchronous: "on" }]);
});

test("are not compared by a verification, which names them, skipped ones too", async () => {
  const { poison } = await givenPoison();
  const leftOut = async () => {
    const [verified] = await operator.verify(() => undefined);
    return verified?.leftOut.map(({ projection, position, reason }) => [projection, position, reason]);
  };
  const before = await leftOut();
  assert.equal([before?.length, before?.every(([, , reason]) => reason === "parked")], [3, true]);
  await operator.skip("payments", poison.commit);
  assert.equal(
    (await leftOut())?.filter(([, , reason]) => reason === "skipped"),
    [["payments", poison.commit, "skipped"]],
  );
});

test("are in no table, live or replayed", async () => {
  await givenPoison();
  const [verified] = await operator.verify(() => undefined);
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
