import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readCheckpoint } from "../../../../projections/engine/checkpoints/checkpoint.ts";
import { requireLogId } from "../../../../projections/engine/checkpoints/log-identity.ts";
import { createEngineTables } from "../../../../projections/engine/engine-tables.ts";
import { readGenerations } from "../../../../projections/engine/generations/generations.ts";
import { lockGroup } from "../../../../projections/engine/runner/lock-group.ts";
import { startGroup } from "../../../../projections/engine/runner/run-group.ts";
import type { Projection } from "../../../../projections/projection.ts";
import { createReadModels } from "../../../../projections/read-models.ts";
import { openEngine, reached, type TestEngine } from "../engine.ts";
import { accounts, balances, ledger, opened, payment, payments } from "../ledger.ts";

const test = suite("projector");

let engine: TestEngine;
test.before.each(async () => {
  engine = await openEngine();
});
test.after.each(() => engine.close());

test("applies past and new events of the log", async () => {
  const projector = engine.projector(ledger);
  await engine.append("account-1", opened, payment(3));
  await projector.start();
  const last = await engine.append("account-1", payment(4));
  await reached(projector, last);
  await reached(projector, last, "control");
  assert.equal(await engine.rows(accounts), [{ account: "account-1" }]);
  assert.equal(await engine.rows(balances), [
    { account: "account-1", balance: 7, largest: 4, position: Number(last.commit) },
  ]);
  const caughtUp = { position: last, events: 4n, lagPositions: 0n, lagSeconds: 0, failing: null };
  assert.equal(await projector.status(), {
    isRunning: true,
    head: last,
    groups: [
      { group: "facts", ...caughtUp },
      { group: "control", ...caughtUp },
    ],
    unreadable: [],
    parked: 0,
    isDegraded: false,
    hasLeader: true,
  });
});

test("of a process that runs no projections follows the log, leads nothing, and sees what another applies", async () => {
  const heard: string[] = [];
  const follower = engine.projector(ledger, {
    runsProjections: false,
    listeners: [(events) => heard.push(...events.map(({ type }) => type))],
  });
  await follower.start();
  const last = await engine.append("account-1", opened, payment(3));
  while (heard.length < 2) await nextTurn();
  assert.is(await follower.waitForPosition("facts", last, 200), false);
  const { isRunning, hasLeader } = await follower.status();
  assert.equal([isRunning, hasLeader], [false, false]);

  await engine.start(ledger);
  await reached(follower, last);
  const followed = await follower.status();
  assert.equal([followed.isRunning, followed.hasLeader], [false, true]);
});

test("records what the log had at the start, before which other processes do not read", async () => {
  const head = await engine.payMany(3);
  const { db, log } = engine;
  await createEngineTables(db);
  const logId = await requireLogId(log);
  await startGroup({ db, log, logId, group: "facts", projections: [payments], epoch: 1n, graceMs: 0 });
  assert.is((await readCheckpoint(db, "facts"))?.readableFrom, head.commit);
});

test("leaves a group as it is once a later leader has started it", async () => {
  const logId = await requireLogId(engine.log);
  await createEngineTables(engine.db);
  const starting = { db: engine.db, log: engine.log, logId, group: "facts", graceMs: 0 } as const;
  const newer = { ...payments, version: 2 };
  await startGroup({ ...starting, projections: [newer], epoch: 7n });
  const late = startGroup({ ...starting, projections: [payments], epoch: 6n });
  assert.is(await late.then(() => "started", String), "Fenced: Group facts has a later leader.");
  const { epoch, applies } = (await readCheckpoint(engine.db, "facts")) ?? {};
  assert.equal([epoch, applies], [7n, { payments: 2 }]);
  const generations = await readGenerations(engine.db);
  assert.equal(
    generations.map(({ version, state }) => [version, state]),
    [[2, "live"]],
  );
});

test("continues where it stopped", async () => {
  const first = await engine.start(ledger);
  await reached(first, await engine.payMany(10));
  await first.stop();
  const last = await engine.pay();
  const second = await engine.start(ledger);
  await reached(second, last);
  assert.is((await engine.rows(payments)).length, 12);
});

test("applies events although Postgres's clock was set back after a promotion", async () => {
  const projector = await engine.start([payments]);
  await reached(projector, await engine.pay());
  await engine.db.raw("update touchledger.generations set promoted_at = clock_timestamp() + interval '1 hour'");
  const { settlesInMs } = await engine.db.transaction((trx) => lockGroup(trx, "facts"));
  assert.ok(settlesInMs > 0 && settlesInMs <= 1_500, `settles in ${settlesInMs} ms`);
  const { rows } = await engine.db.raw("select from touchledger.generations where promoted_at > clock_timestamp()");
  assert.is(rows.length, 0);
});

test("applies one group while the other fails, which then catches up", async () => {
  let broken = true;
  const flaky: Projection = {
    ...payments,
    apply: async (...parameters) => {
      if (broken) throw Object.assign(new Error("The disk is full."), { code: "53100" });
      await payments.apply(...parameters);
    },
  };
  const projector = await engine.start([flaky, balances, accounts], { maxBatch: 5 });
  const last = await engine.payMany(100);
  await reached(projector, last, "control");
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
  await reached(projector, last);
  assert.is((await engine.rows(payments)).length, 101);
  assert.is((await projector.status()).isDegraded, false);
});

test("is not failing once it no longer leads, though its last build failed", async () => {
  const first = await engine.start([payments]);
  await reached(first, await engine.pay());
  await first.stop();
  const unbuildable: Projection = {
    ...payments,
    version: 2,
    createTables: async () => {
      throw new Error("The disk is full.");
    },
  };
  const projector = await engine.start([unbuildable]);
  const reported = async () => {
    const { isRunning, isDegraded, groups } = await projector.status();
    return { isRunning, isDegraded, failing: groups.map(({ failing }) => failing) };
  };
  while (!(await reported()).isDegraded) await nextTurn();
  assert.equal(await reported(), { isRunning: true, isDegraded: true, failing: ["The disk is full."] });
  await projector.stop();
  assert.equal(await reported(), { isRunning: false, isDegraded: false, failing: [null] });
});

test("delays facts while a caller waits for the other group, and then applies them", async () => {
  const batches: number[] = [];
  const seen: Projection = {
    ...payments,
    apply: async (trx, schema, batch) => {
      batches.push(performance.now());
      await payments.apply(trx, schema, batch);
    },
  };
  const projector = await engine.start([seen, accounts], { maxBatch: 1 });
  await reached(projector, await engine.pay(), "control");
  const awaited = projector.waitForPosition("control", { commit: 1n << 60n, prepare: 1n << 60n }, 2_000);
  const last = await engine.payMany(1);
  await reached(projector, last);
  const [first = 0, second = 0] = batches.slice(-2);
  assert.ok(second - first > 200, batches.join(" "));
  assert.is(await awaited, false);
});

test("applies events again after the database has lost its last commits", async () => {
  const projector = await engine.start([payments]);
  const early = await engine.payMany(5);
  await reached(projector, early);
  const kept = await engine.db("touchledger.checkpoints").where({ group_name: "facts" }).first();
  const rows = await engine.rows(payments);
  await reached(projector, await engine.pay());
  // As after a crash of Postgres, whose last commits were not yet on disk.
  const { schema } = await createReadModels(engine.db, [payments]).live("payments");
  await engine.db.transaction(async (trx) => {
    await trx("touchledger.checkpoints").where({ group_name: "facts" }).update(kept);
    await trx.raw(`delete from ${schema}.payments where position > ?`, [String(early.commit)]);
  });
  assert.equal(await engine.rows(payments), rows);
  const last = await engine.pay();
  const passed = async () => (await engine.rows(payments)).length === 8;
  while (!(await passed())) await projector.waitForPosition("facts", { ...last, commit: last.commit + 1n }, 20);
});

test("reports a commit whose reply was lost", async () => {
  let lost = 0;
  const projector = engine.projector([accounts], {
    aroundBatch: async (_group, batch, transaction) => {
      const result = await transaction();
      if (lost > 0 || !batch.some(({ stream }) => stream === "account-8")) return result;
      lost += 1;
      throw new Error("The connection was lost.");
    },
  });
  const committed: string[] = [];
  projector.onCommit((_group, batch) => committed.push(...batch.map(({ type }) => type)));
  await projector.start();
  await reached(projector, await engine.log.headPosition(), "control");
  await reached(projector, await engine.append("account-8", opened), "control");
  assert.equal([lost, committed], [1, ["LogOpened", "Opened"]]);
  assert.is((await projector.status()).groups[0]?.events, 2n, "applied once");
});

test("calls its listeners with every event since it started, and with every commit", async () => {
  await engine.payMany(3);
  const received: string[] = [];
  const committed: string[] = [];
  const projector = engine.projector([payments], {
    listeners: [(batch) => received.push(...batch.map(({ type }) => type))],
  });
  projector.onCommit((group, batch) => committed.push(...batch.map(({ type }) => `${group} ${type}`)));
  await projector.start();
  const last = await engine.append("account-8", opened, payment(2));
  await reached(projector, last);
  assert.equal(received, ["Opened", "Paid"]);
  assert.equal(
    committed,
    ["LogOpened", "Paid", "Paid", "Paid", "Paid", "Opened", "Paid"].map((type) => `facts ${type}`),
  );
});

test("calls every listener of commits, though one fails", async () => {
  const projector = engine.projector([payments]);
  projector.onCommit(() => {
    throw new Error("no listener may throw");
  });
  const committed: string[] = [];
  const remove = projector.onCommit((_group, batch) => committed.push(...batch.map(({ type }) => type)));
  await projector.start();
  await reached(projector, await engine.pay());
  assert.equal([committed, (await projector.status()).isDegraded], [["LogOpened", "Paid"], false]);
  remove();
  await reached(projector, await engine.pay());
  assert.equal(committed, ["LogOpened", "Paid"]);
});

test("ends the waits of its callers as it stops, after the batch in flight", async () => {
  const order: string[] = [];
  let begin = (): void => {};
  let finish = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const projector = await engine.start([payments], {
    aroundBatch: async (_group, _batch, transaction) => {
      begin();
      await finished;
      const outcome = await transaction();
      order.push("applied");
      return outcome;
    },
  });
  const far = { commit: 1n << 60n, prepare: 1n << 60n };
  const waits = (["facts", "control"] as const).map((group) => projector.waitForPosition(group, far, 60_000));
  await begun;
  const stopped = projector.stop().then(() => order.push("stopped"));
  await nextTurn();
  finish();
  await stopped;
  assert.equal(
    [order, await Promise.all(waits)],
    [
      ["applied", "stopped"],
      [false, false],
    ],
  );
});

test.run();
