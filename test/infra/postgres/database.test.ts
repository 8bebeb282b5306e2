import { setImmediate } from "node:timers/promises";
import type { Knex } from "knex";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { problemOfFailure } from "../../../infra/http/response/problem-of-failure.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { requirePostgres } from "../../../infra/postgres/require-postgres.ts";
import { startBreakableProxy } from "../../support/breakable-proxy.ts";
import { testPostgres } from "../../support/stores.ts";

const database = suite("a database");

/** Works with a pool of one connection to an empty database. */
async function withDatabase(
  options: Partial<Parameters<typeof openDatabase>[1]>,
  work: (db: Knex) => Promise<void>,
  connectionString?: string,
): Promise<void> {
  const address = connectionString ?? (await testPostgres());
  const db = openDatabase(address, { max: 1, applicationName: "test", ...options });
  await work(db).finally(() => db.destroy());
}

database("returns dates as written, counts as bigint, numeric exactly and instants as Date", () =>
  withDatabase({}, async (db) => {
    const { rows } = await db.raw(`
      select date '2026-03-29' as day, 9007199254740993::int8 as large, 0.1000000000000000055::numeric as amount,
             timestamptz '2026-03-29 01:30:00.123+00' as instant, null::int8 as absent, 7::int4 as small,
             '{"a":1}'::jsonb as json
    `);
    assert.equal(rows, [
      {
        day: "2026-03-29",
        large: 9007199254740993n,
        amount: "0.1000000000000000055",
        instant: new Date("2026-03-29T01:30:00.123Z"),
        absent: null,
        small: 7,
        json: { a: 1 },
      },
    ]);
  }),
);

for (const encoding of ["LATIN1", "SQL_ASCII"]) {
  database(`of encoding ${encoding} is refused, one of UTF-8 is not`, async () => {
    const address = new URL(await testPostgres());
    const name = `${address.pathname.slice(1)}_${encoding.toLowerCase()}`;
    await withDatabase(
      {},
      async (db) => {
        await requirePostgres(db);
        await db.raw(`create database ${name} encoding '${encoding}' locale 'C' template template0`);
      },
      address.href,
    );
    address.pathname = name;
    await withDatabase(
      {},
      async (db) => {
        assert.is(
          await requirePostgres(db).catch(String),
          `StartupError: The database of DATABASE_URL has the encoding ${encoding}, in which not every text can be stored. ` +
            "Name one of UTF-8: create database touchledger owner <user> encoding 'UTF8' template template0",
        );
      },
      address.href,
    );
  });
}

database("accepts int8 as text and a date as returned", () =>
  withDatabase({}, async (db) => {
    const { rows } = await db.raw("select ?::int8 as large, ?::date as day", [String(2n ** 62n), "2026-02-28"]);
    assert.equal(rows, [{ large: 2n ** 62n, day: "2026-02-28" }]);
  }),
);

database("has the requested session settings", () =>
  withDatabase(
    {
      applicationName: "touchledger projector",
      statementTimeoutMs: 1500,
      idleTransactionTimeoutMs: 2500,
      synchronousCommit: "off",
    },
    async (db) => {
      const { rows } = await db.raw(`
      select current_setting('application_name') as name, current_setting('statement_timeout') as timeout,
             current_setting('synchronous_commit') as commit, current_setting('jit') as jit,
             current_setting('timezone') as zone, current_setting('idle_in_transaction_session_timeout') as idle
    `);
      assert.equal(rows, [
        { name: "touchledger projector", timeout: "1500ms", commit: "off", jit: "off", zone: "UTC", idle: "2500ms" },
      ]);
    },
  ),
);

database("cancels a statement that takes too long", () =>
  withDatabase({ statementTimeoutMs: 50 }, async (db) => {
    const code = await db.raw("select pg_sleep(20)").then(
      () => "none",
      (failure: { code: string }) => failure.code,
    );
    assert.is(code, "57014");
  }),
);

const outcomeOf = (query: Promise<unknown>): Promise<unknown> =>
  query.then(
    () => "answered",
    (failure: unknown) => problemOfFailure(failure).code,
  );

database("abandons a server that hangs, and connects anew when it is back", async () => {
  const proxy = await startBreakableProxy(await testPostgres());
  const work = async (db: Knex) => {
    assert.is(await outcomeOf(db.raw("select 1")), "answered");
    proxy.stall();
    const hung = [db.raw("select 1"), db.raw("select 2")].map(outcomeOf);
    assert.equal(await Promise.all(hung), ["SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE"]);
    proxy.resume();
    assert.is(await outcomeOf(db.raw("select 1")), "answered");
  };
  await withDatabase({ statementTimeoutMs: 50 }, work, proxy.connectionString).finally(proxy.close);
});

database("abandons a server that does not accept a connection", async () => {
  const proxy = await startBreakableProxy(await testPostgres());
  proxy.stall();
  const work = async (db: Knex) => assert.is(await outcomeOf(db.raw("select 1")), "SERVICE_UNAVAILABLE");
  await withDatabase({ connectTimeoutMs: 50 }, work, proxy.connectionString).finally(proxy.close);
});

database("stops waiting for a connection while all are in use", () =>
  withDatabase({ acquireTimeoutMs: 1_000 }, async (db) => {
    await db.transaction(async () => assert.is(await outcomeOf(db.raw("select 1")), "SERVICE_UNAVAILABLE"));
  }),
);

for (const turns of [0, 1, 2]) {
  database(`refuses, while it closes, what follows ${turns} turns after a statement in flight`, async () => {
    const address = await testPostgres();
    const closeWhileInFlight = (holder: Knex) => async (db: Knex) => {
      const held = await holder.transaction();
      await held.raw("select pg_advisory_xact_lock(1)");
      const outcome = db.raw("select pg_advisory_lock(1)").then(async () => {
        for (let turn = 0; turn < turns; turn++) await setImmediate();
        return outcomeOf(db.raw("select 1"));
      });
      while (db.client.pool.numUsed() === 0) await setImmediate();
      const closed = db.destroy();
      await held.commit();
      assert.is(await outcome, "SERVICE_UNAVAILABLE");
      await closed;
    };
    await withDatabase({}, (holder) => withDatabase({}, closeWhileInFlight(holder), address), address);
  });
}

database.run();
