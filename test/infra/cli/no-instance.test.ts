import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openLogForCommand, openStores } from "../../../infra/cli/stores.ts";
import { readConfig } from "../../../infra/config/config.ts";
import { openLogger } from "../../../infra/process/log.ts";

const directory = join(tmpdir(), `touchledger-test-no-instance-${process.pid}`);
const log = openLogger("silent");

const test = suite("commands that find neither an instance nor its data");

for (const [name, open, store] of [
  ["both stores", () => openStores(readConfig({ DATA_DIR: directory }), log), "event-store"],
  ["the event log", () => openLogForCommand(readConfig({ DATA_DIR: directory })), "event-store"],
  [
    "the database",
    () => openStores(readConfig({ DATA_DIR: directory, EVENTSTORE_URL: "esdb://localhost:1" }), log),
    "postgres",
  ],
] as const) {
  test(`say so when they need ${name}, and make nothing`, async () => {
    const failure = await open().then(() => "opened", String);
    assert.match(failure, `No instance runs on ${directory}, and it has no data (${store}).`);
    assert.is(existsSync(directory), false);
  });
}

test.run();
