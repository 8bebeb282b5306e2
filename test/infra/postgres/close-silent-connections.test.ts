import type { Knex } from "knex";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { problemOfFailure } from "../../../infra/http/response/problem-of-failure.ts";
import { closeSilentConnections } from "../../../infra/postgres/close-silent-connections.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { openLogger } from "../../../infra/process/log.ts";
import { type BreakableProxy, startBreakableProxy } from "../../support/breakable-proxy.ts";
import { testPostgres } from "../../support/stores.ts";

const timeoutMs = 1_000;
const log = openLogger("silent");
const postgres = await testPostgres();

interface Given {
  readonly proxy: BreakableProxy;
  /** Without a time limit: through the proxy, which the probe uses as well, and beside it. */
  readonly throughProxy: Knex;
  readonly direct: Knex;
}

/** Runs `work` while silent connections are closed; each pool has an open connection. */
async function whileWatched(work: (given: Given) => Promise<void>): Promise<void> {
  const proxy = await startBreakableProxy(postgres);
  const open = (url: string, limits = {}): Knex => openDatabase(url, { max: 2, applicationName: "test", ...limits });
  const probe = open(proxy.connectionString, { statementTimeoutMs: timeoutMs, connectTimeoutMs: timeoutMs });
  const [throughProxy, direct] = [open(proxy.connectionString), open(postgres)];
  for (const pool of [probe, throughProxy, direct]) await pool.raw("select 1");
  const watch = closeSilentConnections({ probe, pools: [throughProxy, direct], timeoutMs, log });
  try {
    await work({ proxy, throughProxy, direct });
  } finally {
    watch.stop();
    await proxy.close();
    await Promise.all([probe, throughProxy, direct].map((pool) => pool.destroy()));
  }
}

const outcomeOf = (statement: Knex.Raw): Promise<string> =>
  statement.then(
    () => "answered",
    (failure: unknown) => problemOfFailure(failure).code,
  );

const silence = suite("a connection to Postgres through which nothing comes");

silence("is closed once Postgres does not respond, so that its statement fails, and the next one connects anew", () =>
  whileWatched(async ({ proxy, throughProxy }) => {
    proxy.abandon();
    assert.is(await outcomeOf(throughProxy.raw("select 1")), "SERVICE_UNAVAILABLE");
    assert.is(await outcomeOf(throughProxy.raw("select 1")), "answered");
  }),
);

silence("is kept while Postgres responds, however long its statement takes", () =>
  whileWatched(async ({ throughProxy }) => {
    assert.is(await outcomeOf(throughProxy.raw("select pg_sleep(3)")), "answered");
  }),
);

silence("is kept while Postgres refuses connections at once", () =>
  whileWatched(async ({ proxy, direct }) => {
    proxy.cut();
    assert.is(await outcomeOf(direct.raw("select pg_sleep(3)")), "answered");
  }),
);

silence("is closed alone: one through which something comes is kept", () =>
  whileWatched(async ({ proxy, throughProxy, direct }) => {
    proxy.abandon();
    const hung = outcomeOf(throughProxy.raw("select 1"));
    const outcomes: string[] = [];
    let isOver = false;
    const busy = (async () => {
      while (!isOver) outcomes.push(await outcomeOf(direct.raw("select pg_sleep(0.02)")));
    })();
    assert.is(await hung, "SERVICE_UNAVAILABLE");
    isOver = true;
    await busy;
    assert.equal([...new Set(outcomes)], ["answered"]);
  }),
);

silence.run();
