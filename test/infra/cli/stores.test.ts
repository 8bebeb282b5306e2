import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStores } from "../../../infra/cli/stores.ts";
import { readConfig } from "../../../infra/config/config.ts";
import { writeRunFile } from "../../../infra/data-directory/run-file.ts";
import { eventStoreAccess, eventStoreUrl } from "../../../infra/event-log/event-store-access.ts";
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

test("are those of the running instance, and refused when the configuration names others", async () => {
  const directory = await temporaryDirectory();
  const [store, databaseUrl] = ["esdb://me:secret@127.0.0.1:1?tls=false", await testPostgres()];
  await writeRunFile(directory.path, {
    ...{ pid: process.pid, startedAt: "2026-03-01T00:00:00.000Z", version: "0.1.0", port: 1 },
    ...{ baseUrl: "", linkBaseUrl: "", apiUrl: "", operationsUrl: "", adminToken: "", adminTokenFile: null },
    ...{ eventStoreUrl: eventStoreUrl(eventStoreAccess(store)), databaseUrl, eventStreamPrefix: "" },
  });
  const outcomeWith = async (urls: Readonly<Record<string, string>>): Promise<string> => {
    const opened = openStores(readConfig({ DATA_DIR: directory.path, ...urls }), openLogger("silent"));
    return opened.then(({ close }) => close()).then(() => "opened", String);
  };
  const others = { EVENTSTORE_URL: "esdb://127.0.0.1:2?tls=false", DATABASE_URL: "postgres://localhost/other" };
  assert.is(await outcomeWith({}), "opened");
  assert.is(await outcomeWith({ EVENTSTORE_URL: store, DATABASE_URL: databaseUrl }), "opened");
  const refusal = await outcomeWith({ EVENTSTORE_URL: others.EVENTSTORE_URL, DATABASE_URL: databaseUrl });
  assert.match(refusal, "EVENTSTORE_URL of this command is not written as that of the instance that runs on");
  assert.match(await outcomeWith(others), "EVENTSTORE_URL and DATABASE_URL of this command");
  const prefixed = { EVENTSTORE_URL: store, EVENT_STREAM_PREFIX: "b_" };
  assert.match(await outcomeWith(prefixed), "EVENT_STREAM_PREFIX of this command");
  assert.match(await outcomeWith({ EVENTSTORE_URL: "esdb://a:%zz@h:1" }), "cannot be used");
  assert.is(await outcomeWith({ EVENTSTORE_URL: eventStoreUrl(eventStoreAccess(store)) }), "opened");
  await directory.remove();
});

test.run();
