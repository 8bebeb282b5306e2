// time limit: 120 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openLink } from "../../infra/demo/send-traffic.ts";
import { runShop } from "../support/running-shop.ts";
import { metric, recordedClicks, runSeparateStore } from "./separate-store.ts";

const linkRequest = { channel: "newsletter", fallbackPaths: { desktop: "https://shop.example/" } };
const userAgent = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130.0.0.0 ${"x".repeat(900)}`;
const clicksAtOnce = 16;
const mostClicks = 20_000;

const test = suite("A spool that is full");

test("keeps its clicks, while visitors are redirected and lost clicks are counted", async () => {
  const separate = await runSeparateStore();
  const { store } = separate;
  const shop = await runShop({ ...separate.environment, ROLES: "api,worker", SPOOL_LIMIT_MB: "1" });
  const { application, tokens } = shop;
  try {
    const created = (await application.client(tokens.api).send("POST", "/v1/tracking-links", linkRequest)) as {
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
    const recorded = (await recordedClicks(separate)).map(({ touchpointId }) => touchpointId);
    assert.is(recorded.length, new Set(recorded).size);
    assert.is(clicks.filter((click) => recorded.includes(click)).length, clicks.length - lost);
    assert.is(recorded.length, clicks.length - lost);
  } finally {
    store.thaw();
    await shop.end();
    await separate.end();
  }
});

test.run();
