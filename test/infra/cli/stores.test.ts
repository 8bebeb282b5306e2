import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStores } from "../../../infra/cli/stores.ts";
import { readConfig } from "../../../infra/config/config.ts";
import { clusterIn } from "../../../infra/postgres/server-home.ts";
import { openLogger } from "../../../infra/process/log.ts";
import { temporaryDirectory } from "../../support/application-process.ts";
import { startBreakableProxy } from "../../support/breakable-proxy.ts";
import { testPostgres } from "../../support/stores.ts";

const test = suite("the stores of a command");

test("are released when the address of the event store cannot be read", async () => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory.path, "postgres"));
  const config = readConfig({ DATA_DIR: directory.path, EVENTSTORE_URL: "esdb://127.0.0.1:1?tlsCAFile=/none/ca.crt" });
  const failure = await openStores(config, openLogger("silent")).then(() => "opened", String);
  assert.match(failure, "Failed to load certificate file");
  const postmaster = join(clusterIn(join(directory.path, "postgres", "server")), "postmaster.pid");
  assert.equal([existsSync(postmaster), existsSync(join(directory.path, "lock"))], [false, false]);
  await directory.remove();
});

test("fail statements when Postgres is gone without a word", async () => {
  const proxy = await startBreakableProxy(await testPostgres());
  const urls = { EVENTSTORE_URL: "esdb://127.0.0.1:1?tls=false", DATABASE_URL: proxy.connectionString };
  const { db, close } = await openStores(readConfig({ DATA_DIR: "unused", ...urls }), openLogger("silent"));
  proxy.abandon();
  assert.match(await db.raw("select 1").then(() => "a result", String), "Postgres does not respond");
  await close();
  await proxy.close();
});

test.run();
