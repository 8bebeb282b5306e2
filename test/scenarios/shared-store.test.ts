// time limit: 120 s
import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventStoreAccess } from "../../infra/event-log/event-store-access.ts";
import { createEventLog } from "../../infra/event-log/eventstore-event-log.ts";
import { metadata } from "../infra/event-log/event-log-client.ts";
import { runApplication, temporaryDirectory } from "../support/application-process.ts";
import { runProgram } from "../support/command-line.ts";
import { runShop } from "../support/running-shop.ts";
import { testPostgres } from "../support/stores.ts";
import { runSeparateStore } from "./separate-store.ts";

const shared = suite("An event store that others use too");

shared(
  "keeps instances with prefixes of their own apart, and other applications' events out of the read models",
  async () => {
    const separate = await runSeparateStore();
    const shops = await Promise.all([
      runShop(separate.environment),
      runShop({ ...separate.environment, EVENT_STREAM_PREFIX: "second_", DATABASE_URL: await testPostgres() }),
    ]);
    try {
      await appendForeignEvents(separate.store.url);
      for (const { application, data, tokens } of shops) {
        const owner = application.client(tokens.api);
        await owner.send("POST", "/v1/tracking-links", { channel: "newsletter" });
        const today = new Date().toISOString().slice(0, 10);
        const list = await owner.send("GET", `/v1/tracking-links?from=2026-01-01&to=${today}`);
        assert.is((list as { data: { trackingLinks: unknown[] } }).data.trackingLinks.length, 1);
        const verified = await runProgram(["verify"], { DATA_DIR: data });
        assert.is(verified.code, 0, verified.out + verified.err);
        assert.is((await fetch(`${application.run.baseUrl}/readyz`)).status, 200);
      }
      const parked = await Promise.all(
        shops.map(({ data }) => runProgram(["projection", "parked"], { DATA_DIR: data })),
      );
      assert.equal(
        parked.map(({ out }) => /touchpoints-\S+/g.exec(out)?.[0]),
        ["touchpoints-1_anyone", undefined],
      );
    } finally {
      for (const shop of shops) await shop.end();
      await separate.end();
    }
  },
);

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

shared("is refused to an instance with another database, until it claims the streams", async () => {
  const separate = await runSeparateStore();
  const first = await runShop(separate.environment);
  const other = await temporaryDirectory();
  const environment = { EVENTSTORE_URL: separate.store.url, DATABASE_URL: await testPostgres() };
  try {
    const refused = await runApplication(other.path, environment).then(() => "it started", String);
    assert.match(refused, /Another instance, with another database, has used these streams .*EVENT_STREAM_PREFIX/);
    assert.not.match(refused, /\n\s+at /, "no stack");
    assert.is(await first.application.stop(), 0);
    const claimed = await runProgram(["log", "claim"], { ...environment, DATA_DIR: other.path });
    assert.is(claimed.code, 0, claimed.err);
    const second = await runApplication(other.path, environment);
    assert.is(await second.stop(), 0);
    const late = await runApplication(first.data, separate.environment).then(() => "it started", String);
    assert.match(late, /Another instance, with another database/);
  } finally {
    await other.remove();
    await first.end();
    await separate.end();
  }
});

shared.run();
