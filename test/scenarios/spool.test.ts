// time limit: 150 s
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClickRecorded } from "../../domain/touchpoints/events.ts";
import { openLink } from "../../infra/demo/push.ts";
import { eventStoreAccess } from "../../infra/event-log/event-store-access.ts";
import { createEventLog } from "../../infra/event-log/eventstore-event-log.ts";
import { type RunningApplication, runApplication, temporaryDirectory } from "../support/application-process.ts";
import { type EventStoreProgram, startEventStore } from "../support/event-store-program.ts";
import { testPostgres } from "../support/stores.ts";

const app = { name: "shop", timezone: "Asia/Seoul", currency: "USD", ownerEmail: "owner@shop.example" };
const linkRequest = { channel: "newsletter", fallbackPaths: { desktop: "https://shop.example/" } };
const userAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36";
const betweenClicksMs = 10;
const timeoutMs = 60_000;

const test = suite("clicks while the event store does not answer");

test("every redirect is answered, also of links that nobody has opened, and every click is in the log once after the store was frozen and killed", async () => {
  const world = await given();
  let { store } = world;
  try {
    const { application, shortUrl, unopenedUrls, serverUrl } = world;
    const clicks = [await openLink(shortUrl, { userAgent })];

    store.freeze();
    const frozen = clickWhile(shortUrl);
    await until(async () => (await metric(application, "spool_waiting_events")) >= 100);
    assert.is(await metric(application, "spool_mode"), 1);
    clicks.push(await openLink(unopenedUrls[0], { userAgent }));
    // A partner's server repeats what is refused; nobody would repeat a visitor.
    assert.is((await fetch(serverUrl, { method: "POST" })).status, 503);
    await until(async () => (await fetch(`${application.run.baseUrl}/readyz`)).status === 503);
    store.thaw();
    await drained(application);
    clicks.push(...(await frozen.stop()));

    await store.kill();
    const killed = clickWhile(shortUrl);
    await until(async () => (await metric(application, "spool_waiting_events")) >= 100);
    clicks.push(await openLink(unopenedUrls[1], { userAgent }));
    store = await startEventStore(world.storeDirectory, new URL(store.url).port);
    await drained(application);
    clicks.push(...(await killed.stop()));

    await drained(application);
    assert.equal(await recordedOf(store, clicks), once(clicks));
    assert.equal(
      [await metric(application, "clicks_lost_total"), await metric(application, "spool_alarms_total")],
      [0, 0],
    );
    assert.ok((await metric(application, "spool_drained_events_total")) >= 200);
    const redirects = 'http_request_duration_seconds_count{route="links",method="GET",status="302"}';
    assert.is(await metric(application, redirects), clicks.length);
    assert.is(await application.stop(), 0);
  } finally {
    await world.end(store);
  }
});

test("what a killed process has spooled is brought to the log by the next one", async () => {
  const world = await given();
  const { store } = world;
  try {
    const { shortUrl } = world;
    const clicks = [await openLink(shortUrl, { userAgent })];
    store.freeze();
    const frozen = clickWhile(shortUrl);
    await until(async () => (await metric(world.application, "spool_waiting_events")) >= 50);
    const killing = world.application.kill();
    clicks.push(...(await frozen.stop("some fail")));
    await killing;
    store.thaw();

    const next = await world.restart();
    clicks.push(await openLink(shortUrl, { userAgent }));
    await drained(next);
    assert.equal(await recordedOf(store, clicks), once(clicks));
    assert.is(await metric(next, "spool_alarms_total"), 0);
    assert.is(await next.stop(), 0);
  } finally {
    await world.end(store);
  }
});

/** An event store and a server, two processes, with links. */
async function given() {
  const [storeDirectory, applicationDirectory] = [await temporaryDirectory(), await temporaryDirectory()];
  const store = await startEventStore(storeDirectory.path);
  const environment = { EVENTSTORE_URL: store.url, DATABASE_URL: await testPostgres(), ROLES: "api,worker" };
  let application = await runApplication(applicationDirectory.path, environment);
  const registered = (await application.operator.send("POST", "/admin/v1/apps", app)) as {
    data: { tokens: { api: string } };
  };
  const create = async (): Promise<{ shortUrl: string; link: { serverToServerClick: string } }> => {
    const created = await application
      .client(registered.data.tokens.api)
      .send("POST", "/v1/tracking-links", linkRequest);
    return (created as { data: { trackingLink: Awaited<ReturnType<typeof create>> } }).data.trackingLink;
  };
  const [{ shortUrl, link }, ...unopened] = [await create(), await create(), await create()] as const;
  return {
    store,
    storeDirectory: storeDirectory.path,
    application,
    shortUrl,
    unopenedUrls: [unopened[0].shortUrl, unopened[1].shortUrl] as const,
    serverUrl: link.serverToServerClick,
    restart: async () => {
      application = await runApplication(applicationDirectory.path, {
        ...environment,
        PORT: String(application.run.port),
      });
      return application;
    },
    end: async (lastStore: EventStoreProgram) => {
      lastStore.thaw();
      await application.kill();
      await lastStore.stop();
      await Promise.all([storeDirectory.remove(), applicationDirectory.remove()]);
    },
  };
}

/** Clicks again and again until it is stopped; answers the ids of all clicks, once each has been answered by a redirect. */
function clickWhile(shortUrl: string): { stop(failures?: "some fail"): Promise<readonly string[]> } {
  const answers: Promise<string | Error>[] = [];
  let stopped = false;
  const clicking = (async (): Promise<void> => {
    while (!stopped) {
      answers.push(openLink(shortUrl, { userAgent }).catch((failure: Error) => failure));
      await pause(betweenClicksMs);
    }
  })();
  return {
    async stop(failures) {
      stopped = true;
      await clicking;
      const all = await Promise.all(answers);
      const failed = all.filter((answer) => answer instanceof Error);
      if (failures === undefined) assert.equal(failed, []);
      return all.filter((answer) => typeof answer === "string");
    },
  };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It has not come to ${holds}`);
    await pause(betweenClicksMs);
  }
}

async function drained(application: RunningApplication): Promise<void> {
  await until(async () => (await metric(application, "spool_waiting_events")) === 0);
}

async function metric(application: RunningApplication, name: string): Promise<number> {
  const text = await (await fetch(`${application.run.baseUrl}/metrics`)).text();
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  );
}

/** How often each of these clicks is in the log. */
async function recordedOf(
  store: EventStoreProgram,
  clicks: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const log = createEventLog({ ...eventStoreAccess(store.url), deadlineMs: 10_000 });
  const counts: Record<string, number> = Object.fromEntries(clicks.map((click) => [click, 0]));
  for await (const event of log.readAll("start", 1_000_000)) {
    if (event.type !== "ClickRecorded") continue;
    const { touchpointId } = event.data as ClickRecorded["data"];
    if (Object.hasOwn(counts, touchpointId)) counts[touchpointId] = (counts[touchpointId] ?? 0) + 1;
  }
  await log.close();
  return counts;
}

function once(clicks: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(clicks.map((click) => [click, 1]));
}

test.run();
