// time limit: 120 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openLink } from "../../infra/demo/push.ts";
import { eventStoreAccess } from "../../infra/event-log/event-store-access.ts";
import { createEventLog } from "../../infra/event-log/eventstore-event-log.ts";
import { type RunningApplication, runApplication, temporaryDirectory } from "../support/application-process.ts";
import { startEventStore } from "../support/event-store-program.ts";
import { testPostgres } from "../support/stores.ts";

const app = { name: "shop", timezone: "Asia/Seoul", currency: "USD", ownerEmail: "owner@shop.example" };
const linkRequest = { channel: "newsletter", fallbackPaths: { desktop: "https://shop.example/" } };
const userAgent = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130.0.0.0 ${"x".repeat(900)}`;
const clicksAtOnce = 16;
const mostClicks = 20_000;

const test = suite("A spool that is full");

test("keeps what it has taken, while visitors are sent on and what is lost is counted", async () => {
  const [storeDirectory, applicationDirectory] = [await temporaryDirectory(), await temporaryDirectory()];
  const store = await startEventStore(storeDirectory.path);
  const environment = { EVENTSTORE_URL: store.url, DATABASE_URL: await testPostgres(), SPOOL_LIMIT_MB: "1" };
  const application = await runApplication(applicationDirectory.path, { ...environment, ROLES: "api,worker" });
  try {
    const registered = (await application.operator.send("POST", "/admin/v1/apps", app)) as {
      data: { tokens: { api: string } };
    };
    const created = (await application
      .client(registered.data.tokens.api)
      .send("POST", "/v1/tracking-links", linkRequest)) as {
      data: { trackingLink: { shortUrl: string } };
    };
    const { shortUrl } = created.data.trackingLink;
    // While the event store answers nothing, visitors come until clicks are lost
    const clicks = [await openLink(shortUrl, { userAgent })];
    store.freeze();
    while ((await metric(application, "clicks_lost_total")) < 20 && clicks.length < mostClicks) {
      const opened = Array.from({ length: clicksAtOnce }, () => openLink(shortUrl, { userAgent }));
      clicks.push(...(await Promise.all(opened)));
    }
    const lost = await metric(application, "clicks_lost_total");
    assert.ok(lost >= 20, `${lost} of ${clicks.length}`);
    assert.is(await metric(application, "spool_limit_bytes"), 1024 * 1024);
    const waiting = await metric(application, "spool_waiting_bytes");
    assert.ok(waiting <= 1024 * 1024 && waiting > 900 * 1024, `${waiting} bytes`);

    // Then every other click is in the log once it is back, and later ones are too
    store.thaw();
    while ((await metric(application, "spool_waiting_events")) > 0);
    clicks.push(await openLink(shortUrl, { userAgent }));
    assert.is(await metric(application, "clicks_lost_total"), lost);
    const recorded = await recordedClicks(store.url);
    assert.is(recorded.length, new Set(recorded).size);
    assert.is(clicks.filter((click) => recorded.includes(click)).length, clicks.length - lost);
    assert.is(recorded.length, clicks.length - lost);
  } finally {
    store.thaw();
    assert.is(await application.stop(), 0);
    assert.is(await store.stop(), 0);
    await Promise.all([storeDirectory.remove(), applicationDirectory.remove()]);
  }
});

test.run();

async function metric({ run }: RunningApplication, name: string): Promise<number> {
  const text = await (await fetch(`${run.baseUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

/** The ids of the clicks in the log, as often as they are there. */
async function recordedClicks(url: string): Promise<readonly string[]> {
  const log = createEventLog({ ...eventStoreAccess(url), deadlineMs: 10_000 });
  const found: string[] = [];
  for await (const event of log.readAll("start", 1_000_000)) if (event.type === "ClickRecorded") found.push(event.id);
  await log.close();
  return found;
}
