// time limit: 240 s
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { localDate } from "../../domain/values/local-time.ts";
import { eventStoreAccess } from "../../infra/event-log/event-store-access.ts";
import { createEventLog } from "../../infra/event-log/eventstore-event-log.ts";
import { metadata } from "../infra/event-log/event-log-client.ts";
import { runApplication, temporaryDirectory } from "../support/application-process.ts";
import { runProgram } from "../support/command-line.ts";
import { type RunningShop, runShop } from "../support/running-shop.ts";
import { testPostgres } from "../support/stores.ts";
import { runSeparateStore, type SeparateStore } from "./separate-store.ts";

const shared = suite<{ separate: SeparateStore; first: RunningShop; second: RunningShop }>(
  "An event store that others use too",
);
shared.before(async (world) => {
  world.separate = await runSeparateStore();
  const { environment } = world.separate;
  [world.first, world.second] = await Promise.all([
    runShop(environment),
    runShop({ ...environment, EVENT_STREAM_PREFIX: "second_", DATABASE_URL: await testPostgres() }),
  ]);
});
shared.after(async ({ separate, first, second }) => {
  await Promise.all([first.end(), second.end()]);
  await separate.end();
});

shared("keeps instances apart by prefixes, and other applications' events out", async ({ separate, first, second }) => {
  await appendForeignEvents(separate.store.url);
  const today = localDate("Asia/Seoul", Date.now());
  for (const { application, tokens } of [first, second]) {
    const owner = application.client(tokens.api);
    await owner.send("POST", "/v1/tracking-links", { channel: "newsletter" });
    const list = await owner.send("GET", `/v1/tracking-links?from=2026-01-01&to=${today}`);
    assert.is((list as { data: { trackingLinks: unknown[] } }).data.trackingLinks.length, 1);
    assert.is((await fetch(`${application.run.baseUrl}/readyz`)).status, 200);
  }
  // It waits until the read models have passed the head of the log.
  const verified = await runProgram(["verify"], { DATA_DIR: first.data });
  assert.not.match(verified.out, "DIFFERS");
  // An event in a stream that is exactly like ours.
  assert.match(
    verified.out,
    /^Events left out of the read models and of the replay \(1\):\n {2}facts \d+ \S+ parked: /m,
  );
  assert.is(verified.code, 1);
  const parked = await Promise.all(
    [first, second].map(({ data }) => runProgram(["projection", "parked"], { DATA_DIR: data })),
  );
  assert.equal(
    parked.map(({ out }) => /touchpoints-\S+/g.exec(out)?.[0]),
    ["touchpoints-1_anyone", undefined],
  );
});

shared(
  "is copied to an embedded one while it is used, and verified there with the same hashes",
  async ({ separate, first }) => {
    const directory = await temporaryDirectory();
    const DATA_DIR = join(directory.path, "data");
    const copied = await runProgram(["log", "copy", "--to", DATA_DIR], {
      ...separate.environment,
      DATA_DIR: first.data,
    });
    assert.is(copied.code, 0, copied.err);
    const environment = { EVENTSTORE_URL: "", DATABASE_URL: await testPostgres() };
    const application = await runApplication(DATA_DIR, environment);
    const [here, there] = await Promise.all(
      [{ DATA_DIR: first.data }, { DATA_DIR, ...environment }].map((of) => runProgram(["verify"], of)),
    );
    await application.stop();
    await directory.remove();
    assert.equal([here?.code, there?.code], [1, 1]);
    // How many rows are derived from the others depends on the time.
    const ofBoth = (out = "") => out.replaceAll(/ at position \d+|^ {2}facts \d+|\d+ rows, /gm, "");
    assert.is(ofBoth(there?.out), ofBoth(here?.out));
    assert.match(there?.out ?? "", /^facts\.touchpoints .* same$/m);
    assert.not.match(there?.out ?? "", "DIFFERS");
  },
);

shared("is refused to an instance with another database, until it claims the streams", async ({ separate, first }) => {
  const other = await temporaryDirectory();
  const environment = { ...separate.environment, DATABASE_URL: await testPostgres() };
  const refused = await runApplication(other.path, environment).then(() => "it started", String);
  assert.match(refused, /Another instance, with another database, has used these streams .*EVENT_STREAM_PREFIX/);
  assert.not.match(refused, /\n\s+at /, "no stack");
  assert.is(await first.application.stop(), 0);
  const claimed = await runProgram(["log", "claim"], { ...environment, DATA_DIR: other.path });
  assert.is(claimed.code, 0, claimed.err);
  const claiming = await runApplication(other.path, environment);
  assert.is(await claiming.stop(), 0);
  await other.remove();
});

shared.run();

/** Events in streams that look like ours, one of them exactly like ours, and many others. */
async function appendForeignEvents(url: string): Promise<void> {
  const anyone = createEventLog({ ...eventStoreAccess(url), deadlineMs: 10_000 });
  const foreign = (type: string) => ({ id: randomUUID(), type, data: { what: "theirs" }, metadata });
  await anyone.append("touchpoints-x", "no_stream", [foreign("ClickRecorded")]);
  await anyone.append("touchpoints-1_anyone", "no_stream", [foreign("ClickRecorded")]);
  await anyone.append(
    "order-1",
    "no_stream",
    Array.from({ length: 500 }, () => foreign("OrderPlaced")),
  );
  await anyone.close();
}
