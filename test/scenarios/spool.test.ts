// time limit: 150 s
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openLink } from "../../infra/demo/send-traffic.ts";
import type { RunningApplication } from "../support/application-process.ts";
import { runShop } from "../support/running-shop.ts";
import { metric, recordedClicks, runSeparateStore, type SeparateStore } from "./separate-store.ts";

const linkRequest = { channel: "newsletter", fallbackPaths: { desktop: "https://shop.example/" } };
const userAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36";
const betweenClicksMs = 10;
const timeoutMs = 60_000;

const test = suite<Awaited<ReturnType<typeof startWorld>>>("clicks while the event store does not answer");
test.before(async (world) => {
  Object.assign(world, await startWorld());
});
test.after((world) => world.end());

test("are redirected, also by links that were never opened, and recorded once after the store was frozen and killed", async (world) => {
  const { separate, clicks, shortUrl, unopenedUrls, serverUrl } = world;
  const { application } = world.shop;
  separate.store.freeze();
  const frozen = clickWhile(shortUrl);
  await until(async () => (await metric(application, "spool_waiting_events")) >= 100);
  assert.is(await metric(application, "spool_mode"), 1);
  clicks.push(await openLink(unopenedUrls[0], { userAgent }));
  // Partners' servers repeat refused clicks.
  assert.is((await fetch(serverUrl, { method: "POST" })).status, 503);
  await until(async () => (await fetch(`${application.run.baseUrl}/readyz`)).status === 503);
  separate.store.thaw();
  await drained(application);
  clicks.push(...(await frozen.stop()));

  await separate.store.kill();
  const killed = clickWhile(shortUrl);
  await until(async () => (await metric(application, "spool_waiting_events")) >= 100);
  clicks.push(await openLink(unopenedUrls[1], { userAgent }));
  await separate.restart();
  await drained(application);
  clicks.push(...(await killed.stop()));

  await drained(application);
  assert.equal(await recordedOf(separate, clicks), once(clicks));
  for (const name of ["clicks_lost_total", "journal_conflicts_total"]) assert.is(await metric(application, name), 0);
  assert.ok((await metric(application, "spool_drained_events_total")) >= 200);
  const redirects = 'http_request_duration_seconds_count{route="links",method="GET",status="302"}';
  assert.is(await metric(application, redirects), clicks.length);
});

test("spooled by a killed process are moved to the log by the next one", async ({
  separate,
  shop,
  clicks,
  shortUrl,
}) => {
  separate.store.freeze();
  const frozen = clickWhile(shortUrl);
  await until(async () => (await metric(shop.application, "spool_waiting_events")) >= 50);
  const restarting = shop.restart();
  clicks.push(...(await frozen.stop("some fail")));
  separate.store.thaw();
  await restarting;
  clicks.push(await openLink(shortUrl, { userAgent }));
  await drained(shop.application);
  assert.equal(await recordedOf(separate, clicks), once(clicks));
  assert.is(await metric(shop.application, "journal_conflicts_total"), 0);
});

/** An event store and an application, two processes, with three links of which one has been opened. */
async function startWorld() {
  const separate = await runSeparateStore();
  const shop = await runShop({ ...separate.environment, ROLES: "api,worker" });
  const create = async (): Promise<{ shortUrl: string; link: { serverToServerClick: string } }> => {
    const owner = shop.application.client(shop.tokens.api);
    const created = await owner.send("POST", "/v1/tracking-links", linkRequest);
    return (created as { data: { trackingLink: Awaited<ReturnType<typeof create>> } }).data.trackingLink;
  };
  const [{ shortUrl, link }, ...unopened] = [await create(), await create(), await create()] as const;
  return {
    separate,
    shop,
    shortUrl,
    unopenedUrls: [unopened[0].shortUrl, unopened[1].shortUrl] as const,
    serverUrl: link.serverToServerClick,
    clicks: [await openLink(shortUrl, { userAgent })],
    end: async () => {
      separate.store.thaw();
      await shop.end();
      await separate.end();
    },
  };
}

/** Clicks until it is stopped; `stop` returns the ids of all redirected clicks. */
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

/** How often each of these clicks is in the log. */
async function recordedOf(
  separate: SeparateStore,
  clicks: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const recorded = (await recordedClicks(separate)).map(({ touchpointId }) => touchpointId);
  const counts: Record<string, number> = Object.fromEntries(clicks.map((click) => [click, 0]));
  for (const click of recorded) if (Object.hasOwn(counts, click)) counts[click] = (counts[click] ?? 0) + 1;
  return counts;
}

function once(clicks: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(clicks.map((click) => [click, 1]));
}

test.run();
