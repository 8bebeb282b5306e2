import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { Knex } from "knex";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requireLogId } from "../../../../projections/engine/checkpoints/log-identity.ts";
import { createEngineTables } from "../../../../projections/engine/engine-tables.ts";
import {
  createGeneration,
  dropExpired,
  promote,
  readGenerations,
} from "../../../../projections/engine/generations/generations.ts";
import { type ReplayProgress, rebuild, withBuildLocks } from "../../../../projections/engine/generations/rebuild.ts";
import { openReplay } from "../../../../projections/engine/generations/replay.ts";
import type { LogReader } from "../../../../projections/engine/runner/log-reader.ts";
import { startGroup } from "../../../../projections/engine/runner/run-group.ts";
import type { Projection } from "../../../../projections/projection.ts";
import { createReadModels } from "../../../../projections/read-models.ts";
import { isCheckpointAwaited, openEngine, reached, type TestEngine } from "../engine.ts";
import { accounts, balances, ledger, paid, payment, payments, tooMuch } from "../ledger.ts";
import { connectDatabase } from "../stores.ts";

const test = suite("generations");
const noProgress = (): void => undefined;

let engine: TestEngine;
test.before.each(async () => {
  engine = await openEngine();
});
test.after.each(() => engine.close());

async function states() {
  return (await readGenerations(engine.db)).map(({ projection, version, state }) => [projection, version, state]);
}

test("a rebuild replaces a read model under load, and readers never see a gap", async () => {
  const projector = await engine.start(ledger);
  for (const { stream, event } of paid(50)) await engine.append(stream, event);
  const readers = connectDatabase(engine.environment.DATABASE_URL);
  const readModels = createReadModels(readers, ledger);
  let isOver = false;
  let expected = 50;
  const gaps: unknown[] = [];
  const schemas = new Set<string>();
  const load = (async () => {
    while (!isOver) {
      const position = await engine.pay();
      expected += 1;
      await reached(projector, position);
      const { db, schema } = await readModels.live("payments");
      schemas.add(schema);
      const answer: { rows: readonly { readonly paid: number }[] } = await db.raw(
        `select count(*)::int as paid from ${schema}.payments`,
      );
      if (answer.rows[0]?.paid !== expected) gaps.push([schema, answer.rows[0]?.paid, expected]);
    }
  })();
  const operator = await engine.operator(ledger);
  const [before] = (await readGenerations(engine.db)).filter(({ projection }) => projection === "payments");
  while (before !== undefined && !schemas.has(before.schema)) await pause(20);
  // So that a reader still holds what is being replaced.
  for (let round = 0; round < 2; round += 1) await operator.rebuild("all", noProgress);
  const [last] = (await readGenerations(engine.db)).filter(
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
  const [facts] = await operator.verify(noProgress);
  assert.equal(
    facts?.tables.map(({ differences }) => differences),
    [[], []],
  );
  await projector.stop();
  await readers.destroy();
});

test("a new version is built and promoted at the start; the old one stays for its readers for a while", async () => {
  const first = await engine.start([payments, balances]);
  const early = await engine.pay();
  await reached(first, early);
  await first.stop();

  const newer: Projection = { ...payments, version: 2 };
  const second = await engine.start([newer, balances]);
  const last = await engine.pay();
  await reached(second, last);
  assert.equal(await states(), [
    ["balances", 1, "live"],
    ["payments", 2, "live"],
    ["payments", 1, "retired"],
  ]);
  assert.is((await engine.rows(newer)).length, 2);
  assert.is((await engine.rows(payments)).length, 1);

  await engine
    .db("touchledger.generations")
    .where({ state: "retired" })
    .update({ drop_after: new Date(0) });
  assert.is((await dropExpired(engine.db)).length, 1);
  assert.equal(await states(), [
    ["balances", 1, "live"],
    ["payments", 2, "live"],
  ]);
});

test("an old version stays while the new one is built, and is dropped a while after it was replaced", async () => {
  const projector = await engine.start([payments]);
  await reached(projector, await engine.pay());
  await projector.stop();
  const newer: Projection = { ...payments, version: 2 };
  const { db, log } = engine;
  const logId = await requireLogId(log);
  const start = (epoch: bigint) =>
    startGroup({ db, log, logId, group: "facts", projections: [newer], epoch, graceMs: 0 });
  await start(100n);
  assert.equal(await dropExpired(db), []);
  await rebuild(db, log, "facts", [newer], { graceMs: 0 });
  await start(101n);
  assert.equal(await dropExpired(db), ["payments_v1_1"]);
  await rebuild(db, log, "facts", [newer], { graceMs: 60_000 });
  assert.equal(await dropExpired(db), []);
  assert.equal(await states(), [
    ["payments", 2, "live"],
    ["payments", 2, "retired"],
  ]);
});

test("what is replaced, or applied by no runner any more, is dropped after a grace period in milliseconds", async () => {
  const projector = await engine.start([payments, balances]);
  await reached(projector, await engine.pay());
  await projector.stop();
  const { db, log } = engine;
  const logId = await requireLogId(log);
  const minuteMs = 60_000;
  await rebuild(db, log, "facts", [payments], { graceMs: minuteMs });
  const projections = [payments];
  await startGroup({ db, log, logId, group: "facts", projections, epoch: 100n, graceMs: 2 * minuteMs });
  const { rows } = await db.raw(
    `select projection, state, round(extract(epoch from drop_after - now()) / 60)::int as minutes
     from touchledger.generations
     order by projection, build`,
  );
  assert.equal(rows, [
    { projection: "balances", state: "retired", minutes: 2 },
    { projection: "payments", state: "retired", minutes: 1 },
    { projection: "payments", state: "live", minutes: null },
  ]);
});

test("a build leaves alone what another process builds of other projections", async () => {
  const projector = await engine.start([payments, balances]);
  await reached(projector, await engine.pay());
  await projector.stop();
  await withBuildLocks(engine.db, [payments], async () => {
    const replay = await openReplay(engine.db, engine.log, [payments], () => undefined);
    replay.close();
    await rebuild(engine.db, engine.log, "facts", [balances], { graceMs: 60_000 });
    assert.equal(
      (await states()).filter(([name]) => name === "payments"),
      [
        ["payments", 1, "building"],
        ["payments", 1, "live"],
      ],
    );
  });
});

test("a build during which an event was skipped is not promoted; the next one lacks the event", async () => {
  const projector = await engine.start([payments]);
  const skipped = await engine.append("account-1", payment(tooMuch));
  await reached(projector, skipped);
  await projector.stop();
  const { db, log } = engine;
  let onIndexes = async (): Promise<unknown> => undefined;
  const newer: Projection = {
    ...payments,
    version: 2,
    createTables: async (trx, schema) => {
      await payments.createTables(trx, schema);
      await trx.raw(`alter table ${schema}.payments drop constraint payments_amount_check`);
    },
    createQueryIndexes: async () => void (await onIndexes()),
  };
  const logId = await requireLogId(log);
  await startGroup({ db, log, logId, group: "facts", projections: [newer], epoch: 100n, graceMs: 0 });
  const operator = await engine.operator([newer]);
  const build = () => rebuild(db, log, "facts", [newer], { graceMs: 0 }).then(() => "built", String);
  onIndexes = () => operator.skip("payments", skipped.commit);
  assert.is(
    await build(),
    "RebuildRefused: An event was skipped while its projection was being built. Build it again.",
  );
  onIndexes = async () => undefined;
  assert.is(await build(), "built");
  assert.equal(await engine.rows(newer), []);
});

test("a promotion whose commit gets no reply stays", async () => {
  const projector = await engine.start([payments]);
  await reached(projector, await engine.pay());
  const [before] = await readGenerations(engine.db);
  let isLost = false;
  /** Loses the reply to the first commit after which another generation is live. */
  const transaction = async <Result>(work: (trx: Knex.Transaction) => Promise<Result>): Promise<Result> => {
    const result = await engine.db.transaction(work);
    const isPromoted = (await readGenerations(engine.db)).some(
      ({ schema, state }) => state === "live" && schema !== before?.schema,
    );
    if (isPromoted && !isLost) {
      isLost = true;
      throw new Error("Connection terminated unexpectedly");
    }
    return result;
  };
  const db = new Proxy(engine.db, {
    get: (target, key) => (key === "transaction" ? transaction : Reflect.get(target, key)),
  });
  const failure = await rebuild(db, engine.log, "facts", [payments], { graceMs: 60_000 }).then(String, String);
  assert.is(failure, "Error: Connection terminated unexpectedly");
  assert.equal(await states(), [
    ["payments", 1, "live"],
    ["payments", 1, "retired"],
  ]);
  await reached(projector, await engine.pay());
  assert.is((await engine.rows(payments)).length, 2);
});

test("the next build drops the generation of a killed one", async () => {
  const projector = await engine.start([payments]);
  await reached(projector, await engine.pay());
  await engine.db.raw("create schema payments_v1_77");
  await engine.db("touchledger.generations").insert({
    schema_name: "payments_v1_77",
    projection: "payments",
    version: 1,
    build: 77,
    group_name: "facts",
    state: "building",
  });
  await rebuild(engine.db, engine.log, "facts", [payments], { graceMs: 0 });
  assert.equal(await states(), [
    ["payments", 1, "live"],
    ["payments", 1, "retired"],
  ]);
});

test("generations of a build are dropped once nobody builds any more, and not before", async () => {
  const projector = await engine.start([payments]);
  await reached(projector, await engine.pay());
  // Its tidying would drop them, too.
  await projector.stop();
  const building = await withBuildLocks(engine.db, [payments], async () => {
    const replay = await openReplay(engine.db, engine.log, [payments], () => undefined);
    replay.close();
    assert.equal(await dropExpired(engine.db), []);
    return [...replay.schemas.values()];
  });
  assert.equal(await states(), [
    ["payments", 1, "building"],
    ["payments", 1, "live"],
  ]);
  assert.equal(await dropExpired(engine.db), building);
  assert.equal(await states(), [["payments", 1, "live"]]);
  const { rows } = await engine.db.raw("select to_regnamespace(?) as left", building);
  assert.equal(rows, [{ left: null }]);
});

test("a replaced generation is dropped by a clock that was ahead when it was replaced", async () => {
  const { db } = engine;
  await createEngineTables(db);
  const schema = await db.transaction((trx) => createGeneration(trx, payments, "live"));
  const droppedWithMinutesLeft = async (minutes: number) => {
    await db.raw(
      `update touchledger.generations
       set state = 'retired', drop_after = clock_timestamp() + ? * interval '1 minute'`,
      [minutes],
    );
    return dropExpired(db);
  };
  // A clock that was corrected by less than the grace period takes none of it away.
  assert.equal(await droppedWithMinutesLeft(9.9), []);
  assert.equal(await droppedWithMinutesLeft(10.1), [schema]);
});

test("a replaced generation that is being read is not waited for, and dropped later", async () => {
  await createEngineTables(engine.db);
  const schema = await engine.db.transaction(async (trx) => {
    const created = await createGeneration(trx, payments, "live");
    await trx("touchledger.generations").update({ state: "retired", drop_after: new Date(0) });
    return created;
  });
  const refused = await engine.db.transaction(async (reader) => {
    await reader.raw(`select from ${schema}.payments`);
    return dropExpired(engine.db).then(String, (failure: { code: string }) => failure.code);
  });
  const lockNotAvailable = "55P03";
  assert.is(refused, lockNotAvailable);
  assert.equal(await dropExpired(engine.db), [schema]);
});

test("a replaced generation that a view reads is not dropped, others are, whether or not views could be moved", async () => {
  await createEngineTables(engine.db);
  const [read, unread] = await engine.db.transaction(async (trx) => {
    const created = [await createGeneration(trx, payments, "live"), await createGeneration(trx, balances, "live")];
    await trx("touchledger.generations").update({ state: "retired", drop_after: new Date(0) });
    return created;
  });
  await engine.db.raw(`create view public.amounts as select amount from ${read}.payments`);
  const followLive = () => Promise.reject(new Error("A view cannot be replaced."));
  await engine.start([accounts], { followLive });
  const retired = async () =>
    (await readGenerations(engine.db)).filter(({ state }) => state === "retired").map(({ schema }) => schema);
  while ((await retired()).includes(unread ?? "")) await nextTurn();
  assert.equal(await retired(), [read]);
  await engine.db.raw("drop view public.amounts");
  assert.equal(await dropExpired(engine.db), [read]);
});

test("a generation that was dropped while being built does not replace the live one", async () => {
  const projector = await engine.start([payments]);
  await reached(projector, await engine.pay());
  const promoted = engine.db
    .transaction((trx) => promote(trx, new Map([[payments, "payments_v1_77"]]), 0))
    .catch((failure: Error) => failure.message);
  assert.is(await promoted, "Generations of payments were dropped while being built.");
  assert.equal(await states(), [["payments", 1, "live"]]);
});

test("a rebuild finds a free name after the sequence of names was set back", async () => {
  const projector = await engine.start([payments]);
  await reached(projector, await engine.pay());
  await engine.db.raw("alter sequence touchledger.builds restart 1");
  await rebuild(engine.db, engine.log, "facts", [payments], { graceMs: 60_000 });
  assert.equal(
    (await readGenerations(engine.db)).map(({ schema, state }) => [schema, state]),
    [
      ["payments_v1_2", "live"],
      ["payments_v1_1", "retired"],
    ],
  );
});

test("a read model has its query indexes, first built and rebuilt", async () => {
  const projector = await engine.start([payments]);
  await reached(projector, await engine.pay());
  await rebuild(engine.db, engine.log, "facts", [payments], { graceMs: 60_000 });
  const { rows } = await engine.db.raw(
    `select state, array_agg(indexname::text order by indexname) as indexes
     from pg_indexes
     join touchledger.generations on schemaname = schema_name
     group by state
     order by state`,
  );
  const indexes = ["payments_account_idx", "payments_pkey"];
  assert.equal(rows, [
    { state: "live", indexes },
    { state: "retired", indexes },
  ]);
});

test("a build that creates its query indexes ends when the projector stops", async () => {
  const first = await engine.start([payments]);
  await reached(first, await engine.pay());
  await first.stop();
  const slow: Projection = {
    ...payments,
    version: 2,
    createQueryIndexes: async (trx) => {
      await trx.raw("select pg_sleep(60)");
    },
  };
  const second = await engine.start([slow]);
  const sleeping = async (): Promise<number> => {
    const { rows } = await engine.db.raw(
      "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'",
    );
    return rows.length;
  };
  while ((await sleeping()) === 0) await nextTurn();
  await second.stop();
  assert.is(await sleeping(), 0);
  assert.equal(await states(), [["payments", 1, "retired"]]);
});

test("the first build ends when no batch can be applied, with the reason", async () => {
  await engine.pay();
  const failing = {
    ...payments,
    apply: async (trx: Knex.Transaction) => {
      await trx.raw("select * from nowhere");
    },
  };
  const operator = await engine.operator([failing], engine.log, 300);
  assert.match(
    await operator.rebuild("all", noProgress).then(() => "rebuilt", String),
    /^RebuildRefused: Group facts makes no progress: .*relation "nowhere" does not exist/,
  );
});

test("the first build retries reads of the head of the log that fail", async () => {
  await engine.pay();
  let reads = 0;
  const headPosition: LogReader["headPosition"] = async () => {
    reads += 1;
    if (reads % 2 === 1) throw new Error("no leader");
    return engine.log.headPosition();
  };
  const operator = await engine.operator([payments], { ...engine.log, headPosition });
  await operator.rebuild("all", noProgress);
  assert.equal(await states(), [["payments", 1, "live"]]);
});

test("a replay ends once its build is aborted, before the next events", async () => {
  const projector = await engine.start([payments]);
  await reached(projector, await engine.payMany(3));
  const aborting = new AbortController();
  const progress: ReplayProgress[] = [];
  const failure = await rebuild(engine.db, oneByOne(engine.log), "facts", [payments], {
    graceMs: 0,
    signal: aborting.signal,
    onProgress: (reported) => {
      progress.push(reported);
      aborting.abort(new Error("stopped"));
    },
  }).then(String, String);
  assert.equal([failure, progress], ["Error: stopped", [{ events: 1, of: 5 }]]);
  assert.equal(await states(), [["payments", 1, "live"]]);
});

test("a replay ends once its build is aborted, also while the event store is silent", async () => {
  const projector = await engine.start([payments]);
  await reached(projector, await engine.pay());
  const aborting = new AbortController();
  const subscribe: LogReader["subscribe"] = () => {
    aborting.abort(new Error("stopped"));
    return { close: () => {}, [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
  };
  const options = { graceMs: 0, signal: aborting.signal };
  const failure = await rebuild(engine.db, { subscribe }, "facts", [payments], options).then(String, String);
  assert.equal([failure, await states()], ["Error: stopped", [["payments", 1, "live"]]]);
});

/** The log, in batches of one event. */
function oneByOne(log: TestEngine["log"]): Pick<LogReader, "subscribe"> {
  return { subscribe: (options) => log.subscribe({ ...options, maxBatch: 1 }) };
}

test("a build is not promoted when a server of another version starts just before", async () => {
  const projector = await engine.start([payments]);
  await reached(projector, await engine.pay());
  await projector.stop();
  const { db, log } = engine;
  let startsServer: Promise<void> | null = null;
  const building: Projection = {
    ...payments,
    createQueryIndexes: () =>
      new Promise((resolve) => {
        startsServer = db.transaction(async (trx) => {
          await trx.raw(`update touchledger.checkpoints set applies = '{"payments": 2}'`);
          resolve();
          while (!(await isCheckpointAwaited(db))) await nextTurn();
        });
      }),
  };
  const failure = await rebuild(db, log, "facts", [building], { graceMs: 0 }).then(String, String);
  await startsServer;
  assert.is(
    failure,
    "RebuildRefused: The server applies version 2 of projection payments, this program has version 1. " +
      "Start the server in this version: it builds the new one by itself.",
  );
  assert.equal(await states(), [["payments", 1, "live"]]);
});

test("a rebuild is rejected for another version than the server's, and while another runs", async () => {
  const projector = await engine.start([payments, balances]);
  await reached(projector, await engine.pay());
  const refusal = (projection: Projection) =>
    rebuild(engine.db, engine.log, "facts", [projection], { graceMs: 0 }).catch((failure: Error) => failure.message);
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
});

test.run();
