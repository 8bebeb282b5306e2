import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LogPosition } from "../../../../domain/event.ts";
import type { OperatorCommands } from "../../../../projections/engine/maintenance/operator-commands.ts";
import { differingRows } from "../../../../projections/engine/maintenance/table-hash.ts";
import type { Projector } from "../../../../projections/engine/runner/projector.ts";
import type { ReadModel } from "../../../../projections/projection.ts";
import { createReadModels } from "../../../../projections/read-models.ts";
import { isCheckpointAwaited, openEngine, reached, type TestEngine } from "../engine.ts";
import { balances, ledger, opened, paid, payment, tooMuch } from "../ledger.ts";

const test = suite("verify");

let engine: TestEngine;
let projector: Projector;
let operator: OperatorCommands;
test.before.each(async () => {
  engine = await openEngine();
  projector = engine.projector(ledger);
  operator = await engine.operator(ledger);
  await projector.start();
  for (const { stream, event } of paid(30)) await engine.append(stream, event);
  const last = await engine.append("account-1", opened);
  await reached(projector, last);
  await reached(projector, last, "control");
});
test.after.each(async () => {
  await projector.stop();
  await engine.close();
});

const noProgress = (): void => undefined;

test("finds every table equal to its replay, while events come in", async () => {
  let isOver = false;
  const load = (async () => {
    while (!isOver) await engine.append("account-7", payment(1));
  })();
  const verifications = await operator.verify(noProgress);
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
  assert.is((await engine.db("touchledger.generations").where({ state: "building" })).length, 0);
});

test("names the table and the key of a row that was changed, removed or added", async () => {
  const { schema } = await createReadModels(engine.db, ledger).live("balances");
  await engine.db.raw(`update ${schema}.balances set balance = balance + 1 where account = 'account-2'`);
  await engine.db.raw(`delete from ${schema}.balances where account = 'account-3'`);
  await engine.db.raw(`insert into ${schema}.balances values ('account-x', 5, 5, 1)`);
  const [facts, control] = await operator.verify(noProgress);
  const [payments, changed] = facts?.tables ?? [];
  assert.equal([payments?.differences, control?.tables[0]?.differences], [[], []]);
  assert.is(changed?.projection, balances.name);
  assert.is(changed?.table, "balances");
  assert.is.not(changed?.liveHash, changed?.replayedHash);
  const balance = (row: string | null) => JSON.parse(row ?? "null")?.balance ?? null;
  assert.equal(
    changed?.differences.map(({ key, live, replayed }) => [JSON.parse(key), balance(live), balance(replayed)]),
    [
      [{ account: "account-2" }, 37, 36],
      [{ account: "account-3" }, null, 39],
      [{ account: "account-x" }, 5, null],
    ],
  );
});

test("finds a change in any column", async () => {
  const { schema } = await createReadModels(engine.db, ledger).live("payments");
  const found: number[] = [];
  for (const change of ["account = 'account-8'", "amount = amount + 1", "position = position + 1"]) {
    await engine.db.raw(`create table if not exists public.kept as table ${schema}.payments`);
    await engine.db.raw(`update ${schema}.payments set ${change} where account = 'account-2'`);
    const [facts] = await operator.verify(noProgress);
    found.push(facts?.tables[0]?.differences.length ?? 0);
    await engine.db.raw(`truncate ${schema}.payments; insert into ${schema}.payments table public.kept`);
  }
  assert.equal(found, [10, 10, 10]);
});

test("finds that a table lacks a column, or has another one", async () => {
  const { schema } = await createReadModels(engine.db, ledger).live("payments");
  const found = async (): Promise<number | undefined> => {
    const [facts] = await operator.verify(noProgress);
    return facts?.tables[0]?.differences.length;
  };
  await engine.db.raw(`alter table ${schema}.payments add column extra text`);
  const another = await found();
  await engine.db.raw(`alter table ${schema}.payments drop column extra, drop column position`);
  assert.equal([another, await found()], [20, 20]);
});

test("compares all tables at one position, whatever is applied meanwhile", async () => {
  const paying = ledger.map((projection) => ({
    ...projection,
    verifyDerived: async () => {
      await reached(projector, await engine.append("account-1", payment(1)));
      return [];
    },
  }));
  const verifications = await (await engine.operator(paying)).verify(noProgress);
  assert.equal(
    verifications.flatMap(({ tables }) => tables.flatMap(({ differences }) => differences)),
    [],
  );
});

test("compares what is derived from the tables only when these are right", async () => {
  const { schema } = await createReadModels(engine.db, ledger).live("balances");
  const derived = { table: "overdrafts", rows: 1, wrong: ["{}"], missing: [] };
  const schemas: string[] = [];
  const deriving = ledger.map((projection) =>
    projection.name === balances.name
      ? {
          ...projection,
          verifyDerived: async (model: ReadModel) => {
            schemas.push(model.schema);
            return [derived];
          },
        }
      : projection,
  );
  const derivedOf = async () => (await (await engine.operator(deriving)).verify(noProgress))[0]?.derived;
  assert.equal(await derivedOf(), [{ ...derived, projection: "balances" }]);
  await engine.db.raw(`update ${schema}.balances set balance = balance + 1 where account = 'account-2'`);
  assert.equal([await derivedOf(), schemas], [[], [schema]]);
});

test("asks for a start where the read models have never been built, as after a restore", async () => {
  const restored = await openEngine();
  const { verify } = await restored.operator(ledger);
  assert.match(String(await verify(noProgress).catch((failure: unknown) => failure)), "Start the instance first");
  await restored.close();
});

test("is refused where another version of a read model is live", async () => {
  const newer = ledger.map((projection) =>
    projection.name === balances.name ? { ...projection, version: 2 } : projection,
  );
  const { verify } = await engine.operator(newer);
  assert.match(
    String(await verify(noProgress).catch((failure: unknown) => failure)),
    "RebuildRefused: Projection balances has no live generation of version 2",
  );
});

test("leaves out what is parked while it runs", async () => {
  const parking = appendingFirst(() => engine.append("account-8", payment(tooMuch)));
  const [facts] = await (await engine.operator(ledger, parking)).verify(noProgress);
  assert.equal(
    [facts?.tables.flatMap(({ differences }) => differences), facts?.leftOut.map(({ projection }) => projection)],
    [[], ["balances", "payments"]],
  );
});

for (const [what, change] of [
  ["retried", () => operator.retry("payments")],
  [
    "skipped",
    async () => {
      const position = await engine.append("account-8", payment(tooMuch));
      await reached(projector, position);
      await operator.skip("balances", position.commit);
    },
  ],
] as const) {
  test(`is refused when an event is ${what} while it runs`, async () => {
    await reached(projector, await engine.append("account-7", payment(tooMuch)));
    const { schema } = await createReadModels(engine.db, ledger).live("payments");
    await engine.db.raw(`alter table ${schema}.payments drop constraint payments_amount_check`);
    const changing = appendingFirst(async () => {
      await change();
      return engine.append("account-7", payment(1));
    });
    assert.is(
      await (await engine.operator(ledger, changing)).verify(noProgress).then(() => "verified", String),
      `RebuildRefused: An event was ${what} while the read models were being verified. Verify them again.`,
    );
  });
}

test("keeps neither readers nor another command waiting", async () => {
  const other = ledger.map((projection) => ({
    ...projection,
    verifyDerived: async () => {
      await (await engine.operator(ledger)).status();
      await createReadModels(engine.db, ledger).live("payments");
      return [];
    },
  }));
  assert.is((await (await engine.operator(other)).verify(noProgress)).length, 2);
});

test("lets the group wait while the replay applies the last events", async () => {
  const paying = appendingFirst(() => engine.append("account-8", payment(1)));
  let isPassed: Promise<boolean> | null = null;
  const waiting = ledger.map((projection) => ({
    ...projection,
    apply: async (...[trx, schema, batch]: Parameters<typeof projection.apply>) => {
      if (isPassed === null && batch.some(({ stream }) => stream === "account-8")) {
        const position = await engine.append("account-1", payment(1));
        isPassed = reached(projector, position).then(() => true);
        while (!(await isCheckpointAwaited(engine.db)) && !(await Promise.race([isPassed, nextTurn(false)])));
      }
      await projection.apply(trx, schema, batch);
    },
  }));
  const [facts] = await (await engine.operator(waiting, paying)).verify(noProgress);
  assert.equal([facts?.tables.flatMap(({ differences }) => differences), await isPassed], [[], true]);
});

test("fails when the connection with the lock of the group is lost, and leaves no other one in use", async () => {
  const paying = appendingFirst(() => engine.append("account-8", payment(1)));
  let isLost = false;
  const losing = ledger.map((projection) => ({
    ...projection,
    apply: async (...[trx, schema, batch]: Parameters<typeof projection.apply>) => {
      if (!isLost && batch.some(({ stream }) => stream === "account-8")) {
        isLost = true;
        await engine.db.raw(
          `select pg_terminate_backend(pid, 5000)
           from pg_stat_activity
           where datname = current_database()
             and state = 'idle in transaction'
             and query like '%from touchledger.parked_events%'`,
        );
      }
      await projection.apply(trx, schema, batch);
    },
  }));
  const operatorOfLost = await engine.operator(losing, paying);
  assert.is(
    await operatorOfLost.verify(noProgress).then(() => "verified", String),
    "Error: COMMIT; - Client has encountered a connection error and is not queryable",
  );
});

/** The log; whoever reads it gets its first event once the projector has applied what is appended before. */
function appendingFirst(append: () => Promise<LogPosition>): TestEngine["log"] {
  const { log } = engine;
  return {
    ...log,
    subscribe: (options) => {
      const subscription = log.subscribe(options);
      return {
        close: () => subscription.close(),
        async *[Symbol.asyncIterator]() {
          await reached(projector, await append());
          yield* subscription;
        },
      };
    },
  };
}

test("names keys and values with all their digits", async () => {
  const [live, replayed] = ["live_v1_1", "replayed_v1_1"] as const;
  for (const schema of [live, replayed]) {
    await engine.db.raw(
      `create schema ${schema}; create table ${schema}.hashes (key bigint primary key, value bigint)`,
    );
  }
  const [key, value] = ["-6784085014179383475", "9223372036854775807"];
  await engine.db.raw(`insert into ${live}.hashes values (${key}, ${value})`);
  const row = `{"key": ${key}, "value": ${value}}`;
  assert.equal(await differingRows(engine.db, live, replayed, "hashes", ["key"]), [
    { key: `{"key": ${key}}`, live: row, replayed: null },
  ]);
});

test.run();
