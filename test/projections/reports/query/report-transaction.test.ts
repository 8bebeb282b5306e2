import type { Knex } from "knex";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openDatabase } from "../../../../infra/postgres/database.ts";
import { reportTransaction } from "../../../../projections/reports/query/report-transaction.ts";
import { testPostgres } from "../../../support/stores.ts";

const timeoutMs = 30_000;
const db = openDatabase(await testPostgres(), { max: 3, applicationName: "test" });
const reading = suite("the transaction that a report is computed in");
reading.after(() => db.destroy());

/** What a transaction ends with: its SQLSTATE, or the name of its error. */
const endOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (failure: Error & { code?: string }) => failure.code ?? failure.name,
  );
/** Statements that sleep in this database. */
const sleeping = async (): Promise<number> => {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `select 1 from pg_stat_activity
     where datname = current_database() and state = 'active' and wait_event = 'PgSleep'`,
  );
  return rows.length;
};
const untilSleeping = async (): Promise<void> => {
  while ((await sleeping()) === 0);
};

reading("ends a statement that takes too long", async () => {
  const end = endOf(reportTransaction(db, { timeoutMs: 50 }, (trx) => trx.raw("select pg_sleep(60)")));
  assert.is(await end, "57014");
});

reading("ends the statement that runs when the signal aborts, in Postgres too", async () => {
  const abandon = new AbortController();
  const limits = { timeoutMs, signal: abandon.signal };
  const end = endOf(reportTransaction(db, limits, (trx) => trx.raw("select pg_sleep(60)")));
  await untilSleeping();
  const startedAt = performance.now();
  abandon.abort();
  assert.is(await end, "57014");
  assert.ok(performance.now() - startedAt < 1_000);
  assert.is(await sleeping(), 0);
});

reading("ends the next statement when the signal aborts between two", async () => {
  const abandon = new AbortController();
  const end = endOf(
    reportTransaction(db, { timeoutMs, signal: abandon.signal }, async (trx) => {
      await trx.raw("select 1");
      abandon.abort();
      await trx.raw("select pg_sleep(60)");
    }),
  );
  assert.is(await end, "57014");
});

reading("begins nothing after the signal has aborted", async () => {
  const limits = { timeoutMs, signal: AbortSignal.abort() };
  const end = endOf(reportTransaction(db, limits, async () => assert.unreachable()));
  assert.is(await end, "ReportAbandoned");
});

reading("keeps its connection until nothing cancels it any more", async () => {
  const abandon = new AbortController();
  let cancel = (): void => undefined;
  const cancelling = new Promise<void>((resolve) => {
    cancel = resolve;
  });
  const order: string[] = [];
  const raw = async (text: string, bindings: object) => {
    cancel();
    for (let other = 0; other < 10; other += 1) await db.raw("select 1");
    await db.raw(text, { ...bindings });
    order.push("cancelled");
  };
  const slowToCancel = { raw, transaction: db.transaction.bind(db) } as unknown as Knex;
  await endOf(
    reportTransaction(slowToCancel, { timeoutMs, signal: abandon.signal }, async () => {
      abandon.abort();
      await cancelling;
    }),
  );
  order.push("ended");
  assert.equal(order, ["cancelled", "ended"]);
});

reading("never cancels later statements of others on its connection", async () => {
  for (let round = 0; round < 30; round += 1) {
    const abandon = new AbortController();
    const limits = { timeoutMs, signal: abandon.signal };
    await Promise.all([
      endOf(reportTransaction(db, limits, (trx) => trx.raw("select pg_sleep(0.003)"))),
      db.raw("select pg_sleep(0.002)").then(() => abandon.abort()),
    ]);
    await Promise.all([1, 2, 3].map(() => db.raw("select pg_sleep(0.005)")));
  }
});

reading("is read-only and sees one state", async () => {
  const { rows } = await reportTransaction(db, { timeoutMs }, (trx) =>
    trx.raw<{ rows: object[] }>(
      `select current_setting('transaction_isolation') as isolation,
         current_setting('transaction_read_only') as "readOnly"`,
    ),
  );
  assert.equal(
    rows.map((row) => ({ ...row })),
    [{ isolation: "repeatable read", readOnly: "on" }],
  );
});

reading.run();
