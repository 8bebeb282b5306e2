// time limit: 60 s
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appEventJournal, appRegistryStream, touchpointJournal } from "../../../../domain/streams.ts";
import { shop, shopRegistered } from "../../../examples/app.ts";
import { startLog } from "../../../projections/engine/stores.ts";
import { runProgram } from "../../../support/command-line.ts";
import { simulatedEvents } from "../../training/simulated-log.ts";

const test = suite("touchledger train");
const now = "2026-04-01T06:00:00.000Z";
const appendSize = 400;

let log: Awaited<ReturnType<typeof startLog>>;
const out = join(tmpdir(), `touchledger-trained-${process.pid}`);
test.before(async () => {
  log = await startLog();
  await log.append(appRegistryStream, shopRegistered);
  const events = simulatedEvents({ seed: 1, now: Date.parse(now), devices: 600 });
  for (let first = 0; first < events.length; first += appendSize) {
    const batch = events.slice(first, first + appendSize);
    const journal = batch[0]?.type === "AppEventRecorded" ? appEventJournal : touchpointJournal;
    await log.append(journal(shop.appId, "test"), ...batch);
  }
});
test.after(async () => {
  await log.close();
  await rm(out, { recursive: true, force: true });
});

const withoutData = join(tmpdir(), "touchledger-test-without-data");

function touchledger(words: readonly string[], environment = log.environment) {
  return runProgram(words, { DATA_DIR: withoutData, ...environment });
}

test("trains only on the log, prints the report and writes a bundle, once", async () => {
  const words = ["train", "--app", "shop", "--out", out, "--now", now];
  const trained = await touchledger(words);
  assert.is(trained.code, 0, trained.err);
  assert.match(trained.out, /^Bundle shop-2026-04-01-[0-9a-f]{12} of app shop/);
  assert.match(trained.out, /^d3_churn \(not used after 3 days\)$/m);
  assert.is((await readdir(out)).length, 6);

  const again = await touchledger(words);
  assert.equal(again, { code: 1, out: "", err: `${out} exists and is not empty.\n` });
});

test("reports a missing log, and creates none", async () => {
  const { code, err } = await touchledger(["train", "--app", "shop", "--out", join(withoutData, "bundle")], {
    EVENTSTORE_URL: "",
    EVENT_STREAM_PREFIX: "",
  });
  assert.is(code, 1);
  assert.match(err, `No instance runs on ${withoutData}, and it has no data (event-store).`);
  assert.is(existsSync(withoutData), false);
});

test.run();
