import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { printedFailure } from "../../../infra/cli/printed-failure.ts";
import { openStores } from "../../../infra/cli/stores.ts";
import { readConfig } from "../../../infra/config/config.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { openLogger } from "../../../infra/process/log.ts";
import { ModelRuntimeMissing } from "../../../infra/scoring/scorer-process.ts";
import { createEngineTables } from "../../../projections/engine/engine-tables.ts";
import { LogStalled } from "../../../projections/engine/runner/watch-for-stall.ts";
import { testPostgres } from "../../support/stores.ts";

const printed = suite("a failure of a command is printed");

printed("as one line when a file cannot be read", async () => {
  const path = join(process.execPath, "admin-token");
  const failure = await readFile(path).catch((thrown) => thrown);
  assert.is(
    await printedFailure(failure),
    `ENOTDIR: not a directory, open '${path}'. Can this user read and write it?`,
  );
});

printed("as one line when a file does not exist", async () => {
  const path = join(process.execPath, "..", "no-bundle", "manifest.json");
  const failure = await readFile(path).catch((thrown) => thrown);
  assert.is(await printedFailure(failure), `There is no ${path}.`);
});

printed("as one line when Postgres refuses the password", async () => {
  const address = new URL(await testPostgres());
  address.password = "guessed";
  const environment = { DATABASE_URL: address.href, EVENTSTORE_URL: "esdb://127.0.0.1:1?tls=false" };
  const opened = openStores(readConfig(environment), openLogger("silent"));
  const text = String(await printedFailure(await opened.catch((thrown) => thrown)));
  assert.match(text, /^Postgres cannot be used\. Is DATABASE_URL right, and does it run\? \(.*password.*\)$/);
});

printed("as one line when Postgres is lost in the middle of it", async () => {
  const lost = new Error("ROLLBACK - Client has encountered a connection error and is not queryable");
  assert.is(
    await printedFailure(lost),
    "Postgres cannot be used. Is DATABASE_URL right, and does it run? " +
      "(Client has encountered a connection error and is not queryable)",
  );
});

for (const [what, right, reason] of [
  [
    "may not write",
    "set default_transaction_read_only = on",
    "cannot execute CREATE SCHEMA in a read-only transaction",
  ],
  ["owns no database", "nocreatedb", "permission denied for database "],
] as const) {
  printed(`as one line when the user of Postgres ${what}`, async () => {
    const address = new URL(await testPostgres());
    const role = address.pathname.slice(1);
    const owner = openDatabase(address.href, { max: 1, applicationName: "test" });
    await owner.raw(`create role ${role} login password 'secret'; alter role ${role} ${right}`);
    Object.assign(address, { username: role, password: "secret" });
    const db = openDatabase(address.href, { max: 1, applicationName: "test" });
    const failure = await createEngineTables(db).catch((thrown) => thrown);
    await db.destroy();
    await owner.raw(`drop role ${role}`);
    await owner.destroy();
    assert.is(
      await printedFailure(failure),
      `Postgres refuses a statement: ${reason.endsWith(" ") ? `${reason}${role}` : reason}. ` +
        "The user of DATABASE_URL must own its database, and be able to write to it.",
    );
  });
}

printed("as one line when the event store is lost in the middle of it", async () => {
  const lost = new EventLogUnavailable("14 UNAVAILABLE: Connection dropped");
  assert.is(
    await printedFailure(lost),
    "The event store cannot be used. Is EVENTSTORE_URL right, and does it run? (14 UNAVAILABLE: Connection dropped)",
  );
});

printed("as one line when an event of the log is damaged", async () => {
  const damaged = new Error("13 INTERNAL: the event at position 3 is damaged: restore a backup of the event store");
  assert.is(
    await printedFailure(new LogStalled({ commit: 2n, prepare: 2n }, damaged)),
    "The event store keeps failing, and no event came after position 2 (13 INTERNAL: the event at position 3 is damaged: " +
      "restore a backup of the event store). `touchledger verify --log` checks the log of an embedded event store.",
  );
});

printed("as one line when models cannot run", async () => {
  const text =
    "Models cannot run: the optional package onnxruntime-node is not installed. Run npm ci, and start again.";
  assert.is(await printedFailure(new ModelRuntimeMissing(text)), text);
});

printed("whole when it is a defect", async () => {
  const defect = new TypeError("undefined is not a function");
  assert.is(await printedFailure(defect), defect);
});

printed.run();
