import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openDatabase } from "../../../../infra/postgres/database.ts";
import { createReaderRole, dropReaderRole } from "../../../../infra/postgres/sql-role.ts";
import { lockCheckpoint, readCheckpoint } from "../../../../projections/engine/checkpoints/checkpoint.ts";
import {
  createPositionWaiters,
  readablePositions,
} from "../../../../projections/engine/checkpoints/wait-for-position.ts";
import { createEngineTables } from "../../../../projections/engine/engine-tables.ts";
import {
  hasLeader,
  requireEpoch,
  runAsLeader,
  tryRunAsLeader,
} from "../../../../projections/engine/leader/leader-election.ts";
import { applyBatch } from "../../../../projections/engine/runner/apply-batch.ts";
import { whenAborted } from "../../../../projections/waiting.ts";
import { startBreakableProxy } from "../../../support/breakable-proxy.ts";
import { openEngine, reached, type TestEngine } from "../engine.ts";
import { silentEngineLog } from "../engine-log.ts";
import { accounts, payments } from "../ledger.ts";
import { connectDatabase } from "../stores.ts";

const test = suite("one leader of a deployment");

let engine: TestEngine;
test.before.each(async () => {
  engine = await openEngine();
});
test.after.each(() => engine.close());

/** Ends the session that holds the lock of the leader. */
async function endLockSession(): Promise<void> {
  await engine.db.raw(
    `select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
  );
}

/** A promise, and the function that resolves it. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test("a second projector sees the commits of the first, and takes over when that stops", async () => {
  const other = connectDatabase(engine.environment.DATABASE_URL);
  const first = await engine.start([payments]);
  const early = await engine.payMany(3);
  await reached(first, early);
  const second = await engine.start([payments], { db: other });
  await reached(second, early);
  assert.is((await second.status()).isRunning, false);
  assert.is(await createPositionWaiters(() => readablePositions(other, [payments])).wait("facts", early, 0), true);

  await first.stop();
  const last = await engine.pay();
  await reached(second, last);
  assert.is((await second.status()).isRunning, true);
  await second.stop();
  await other.destroy();
});

test("a role that only reads the views is no leader, even with the lock", async () => {
  const name = `reader_${randomUUID().replaceAll("-", "")}`;
  const url = new URL(engine.environment.DATABASE_URL);
  url.password = await createReaderRole(engine.db, name, "public");
  url.username = name;
  const reader = connectDatabase(url.href);
  try {
    await reader.raw("select pg_advisory_lock(hashtextextended('touchledger projector', 0))");
    assert.is(await hasLeader(engine.db, "projector"), false);
  } finally {
    await reader.destroy();
    await dropReaderRole(engine.db, name, "public");
  }
});

test("a projector that has lost its lock cannot commit", async () => {
  const first = await engine.start([payments]);
  const early = await engine.payMany(3);
  await reached(first, early);
  const before = await readCheckpoint(engine.db, "facts");
  await endLockSession();
  const last = await engine.pay();
  await reached(first, last);
  const after = await readCheckpoint(engine.db, "facts");
  assert.ok((after?.epoch ?? 0n) > (before?.epoch ?? 0n), "elected again, in a later epoch");
  await first.stop();

  // A batch of the former leader, which has not noticed that it lost the lock.
  const late = { group: "facts", projections: [payments], epoch: before?.epoch ?? 0n, clock: null } as const;
  const batch = (await engine.all()).slice(-1);
  const refused = await applyBatch(engine.db, late, last, batch).catch((failure: Error) => failure.name);
  assert.is(refused, "Fenced");
  assert.equal(await readCheckpoint(engine.db, "facts"), after);
  assert.is((await engine.rows(payments)).length, 5);
});

test("a former leader sees what the next one applies, though its last batch is reported late", async () => {
  let isHeld = false;
  const [committed, released, reported] = [gate(), gate(), gate()];
  const first = await engine.start([payments], {
    aroundBatch: async (_group, _batch, transaction) => {
      const outcome = await transaction();
      if (isHeld) {
        committed.open();
        await released.opened;
      }
      return outcome;
    },
  });
  await reached(first, await engine.pay());
  isHeld = true;
  await engine.pay();
  await committed.opened;
  const other = connectDatabase(engine.environment.DATABASE_URL);
  const second = await engine.start([payments], { db: other });
  await endLockSession();
  const last = await engine.pay();
  await reached(second, last);
  first.onCommit(reported.open);
  released.open();
  await reported.opened;
  assert.is(await first.waitForPosition("facts", last, 2_000), true);
  await second.stop();
  await other.destroy();
});

test("a leader that is fenced while it takes over another group is elected again", async () => {
  const former = await engine.start([payments, accounts]);
  await reached(former, await engine.pay());
  const fenced = gate();
  const next = await engine.start([payments, accounts], {
    aroundBatch: (_group, _batch, transaction) =>
      transaction().catch((failure: Error) => {
        fenced.open();
        throw failure;
      }),
  });
  const last = await engine.db.transaction(async (trx) => {
    const before = await lockCheckpoint(trx, "control");
    await former.stop();
    while ((await readCheckpoint(engine.db, "facts"))?.epoch === before?.epoch) await nextTurn();
    await engine.db("touchledger.checkpoints").where({ group_name: "facts" }).increment("epoch");
    const position = await engine.pay();
    await fenced.opened;
    await nextTurn();
    return position;
  });
  await reached(next, last);
});

test("late writes of a former leader are rejected", async () => {
  const first = await engine.start([payments]);
  await first.stop();
  const epochs: bigint[] = [];
  const stop = new AbortController();
  await runAsLeader(engine.db, "reporter", stop.signal, silentEngineLog, async ({ epoch }) => {
    epochs.push(epoch);
    if (epochs.length === 2) stop.abort();
  });
  const [former = 0n, current = 0n] = epochs;
  await engine.db.transaction((trx) => requireEpoch(trx, "reporter", current));
  const refused = await engine.db
    .transaction((trx) => requireEpoch(trx, "reporter", former))
    .catch((failure: Error) => failure.name);
  assert.equal([refused, current > former], ["Fenced", true]);
});

test("a role that ends leaves its connection to the pool, without the lock and the time limit", async () => {
  const db = openDatabase(engine.environment.DATABASE_URL, {
    max: 1,
    acquireTimeoutMs: 1_000,
    applicationName: "test",
  });
  await createEngineTables(db);
  const session = async () => {
    const { rows } = await db.raw(
      `select current_setting('idle_session_timeout') as idle,
              (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`,
    );
    return rows;
  };
  for (const role of ["reporter", "exporter"]) {
    assert.is(await tryRunAsLeader(db, role, async () => undefined), true);
    assert.equal(await session(), [{ idle: "0", locks: 0 }]);
  }
  await db.destroy();
});

test("a leader whose connection goes silent learns that it has lost its role", async () => {
  const proxy = await startBreakableProxy(engine.environment.DATABASE_URL);
  const db = connectDatabase(proxy.connectionString);
  await createEngineTables(db);
  const led = tryRunAsLeader(db, "reporter", async ({ signal }) => {
    proxy.stall();
    await whenAborted(signal);
    proxy.resume();
  });
  assert.is(await led, true);
  await proxy.close();
  await db.destroy();
});

test.run();
