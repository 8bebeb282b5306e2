// time limit: 120 s
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pushAppEvents } from "../../../infra/demo/send-traffic.ts";
import { startBreakableProxy } from "../../support/breakable-proxy.ts";
import { type RunningShop, runShop } from "../../support/running-shop.ts";
import { testPostgres } from "../../support/stores.ts";

const timeoutMs = 60_000;

const test = suite("A Postgres that is replaced without a word");

test("is used again within a minute: events are projected, decided and reported", async () => {
  const proxy = await startBreakableProxy(await testPostgres());
  const shop = await runShop({ DATABASE_URL: proxy.connectionString });
  try {
    // Given connections that are in use
    const before = await pushInstall(shop);
    assert.is(await decided(shop, before), before);
    // When nothing comes through them any more, and new ones work
    proxy.abandon();
    // Then the next install is decided all the same
    const later = await pushInstall(shop);
    assert.is(await decided(shop, later), later);
  } finally {
    await shop.end();
    await proxy.close();
  }
});

async function pushInstall({ application, tokens }: RunningShop): Promise<string> {
  const eventId = randomUUID();
  const device = { id: randomUUID(), os: "Android" } as const;
  const install = { eventId, eventTimestamp: Date.now(), category: "app_install", device };
  await pushAppEvents(application.client(tokens.api, timeoutMs), "shop", [install], () => undefined);
  return eventId;
}

/** The event of the decision on an install, once there is one. */
async function decided({ application }: RunningShop, eventId: string): Promise<string> {
  const path = `/admin/v1/apps/shop/attributions/${eventId}`;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      const { data } = (await application.operator.send("GET", path)) as { data: { eventId: string } };
      return data.eventId;
    } catch (failure) {
      if (Date.now() > deadline) throw failure;
    }
    await pause(100);
  }
}

test.run();
