import { suite } from "uvu";
import * as assert from "uvu/assert";
import { problemOfFailure } from "../../../infra/http/response/error-mapping.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { startStallingProxy } from "../../support/stalling-proxy.ts";
import { testPostgres } from "../../support/stores.ts";

const database = suite("a database");

database("gives dates as written, counts as bigint, numeric exactly and instants as Date", async () => {
  const db = openDatabase(await testPostgres(), { max: 1, applicationName: "test" });
  try {
    const { rows } = await db.raw(`
      select date '2026-03-29' as day, 9007199254740993::int8 as large, 0.1000000000000000055::numeric as amount,
             timestamptz '2026-03-29 01:30:00.123+00' as instant, null::int8 as absent, 7::int4 as small,
             array[1, null, 9007199254740993]::int8[] as larges, array[]::int8[] as none,
             array[date '2026-03-29'] as days, '{"a":1}'::jsonb as json
    `);
    assert.equal(rows, [
      {
        day: "2026-03-29",
        large: 9007199254740993n,
        amount: "0.1000000000000000055",
        instant: new Date("2026-03-29T01:30:00.123Z"),
        absent: null,
        small: 7,
        larges: [1n, null, 9007199254740993n],
        none: [],
        days: ["2026-03-29"],
        json: { a: 1 },
      },
    ]);
  } finally {
    await db.destroy();
  }
});

database("takes int8 as text and a date as it came out", async () => {
  const db = openDatabase(await testPostgres(), { max: 1, applicationName: "test" });
  try {
    const { rows } = await db.raw("select ?::int8 as large, ?::date as day", [String(2n ** 62n), "2026-02-28"]);
    assert.equal(rows, [{ large: 2n ** 62n, day: "2026-02-28" }]);
  } finally {
    await db.destroy();
  }
});

database("has the requested session settings", async () => {
  const db = openDatabase(await testPostgres(), {
    max: 1,
    applicationName: "touchledger projector",
    statementTimeoutMs: 1500,
    synchronousCommit: "off",
  });
  try {
    const { rows } = await db.raw(`
      select current_setting('application_name') as name, current_setting('statement_timeout') as timeout,
             current_setting('synchronous_commit') as commit, current_setting('jit') as jit,
             current_setting('timezone') as zone
    `);
    assert.equal(rows, [{ name: "touchledger projector", timeout: "1500ms", commit: "off", jit: "off", zone: "UTC" }]);
  } finally {
    await db.destroy();
  }
});

database("cancels a statement that takes too long", async () => {
  const db = openDatabase(await testPostgres(), { max: 1, applicationName: "test", statementTimeoutMs: 50 });
  try {
    const code = await db.raw("select pg_sleep(20)").then(
      () => "none",
      (failure: { code: string }) => failure.code,
    );
    assert.is(code, "57014");
  } finally {
    await db.destroy();
  }
});

const answerOf = (query: Promise<unknown>): Promise<unknown> =>
  query.then(
    () => "answered",
    (failure: unknown) => problemOfFailure(failure).code,
  );

database("gives up a server that hangs, and connects anew when it is back", async () => {
  const way = await startStallingProxy(await testPostgres());
  const db = openDatabase(way.connectionString, { max: 1, applicationName: "test", statementTimeoutMs: 50 });
  try {
    assert.is(await answerOf(db.raw("select 1")), "answered");
    way.stall();
    const hung = [db.raw("select 1"), db.raw("select 2")].map(answerOf);
    assert.equal(await Promise.all(hung), ["SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE"]);
    way.goOn();
    assert.is(await answerOf(db.raw("select 1")), "answered");
  } finally {
    await way.close();
    await db.destroy();
  }
});

database("gives up a server that does not even accept a connection", async () => {
  const way = await startStallingProxy(await testPostgres());
  const db = openDatabase(way.connectionString, { max: 1, applicationName: "test", connectTimeoutMs: 50 });
  try {
    way.stall();
    assert.is(await answerOf(db.raw("select 1")), "SERVICE_UNAVAILABLE");
  } finally {
    await way.close();
    await db.destroy();
  }
});

database("does not wait for ever for a connection while all are taken", async () => {
  const db = openDatabase(await testPostgres(), { max: 1, applicationName: "test", acquireTimeoutMs: 1_000 });
  try {
    await db.transaction(async () => assert.is(await answerOf(db.raw("select 1")), "SERVICE_UNAVAILABLE"));
  } finally {
    await db.destroy();
  }
});

database.run();
