// time limit: 300 s
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runReport } from "../../client/index.ts";
import { addDays, localDate } from "../../domain/values/local-time.ts";
import { differences } from "../../infra/demo/ground-truth.ts";
import { demoQuery, reportedRows } from "../../infra/demo/report-query.ts";
import { createLinks, openLink, pushAppEvents, pushTouchpoints } from "../../infra/demo/send-traffic.ts";
import { simulate } from "../../infra/demo/simulation.ts";
import { runProgram } from "../support/command-line.ts";
import { runShop } from "../support/running-shop.ts";
import type { TestClient } from "../support/typed-client.ts";
import { isSignedWith, type ReceivedRequest, startReceiver } from "../support/webhook-receiver.ts";

const kills = 3;
const timezone = "Asia/Seoul";
const app = "shop";
const timeoutMs = 120_000;
const silent = (): void => {};

const test = suite("kill -9 at random points of the simulation");

test("it comes up by itself, nothing acknowledged is lost, nothing is counted twice", async () => {
  const shop = await runShop({ DATABASE_URL: "", WEBHOOK_PRIVATE_NETWORKS: "true" });
  const receiver = await startReceiver();
  const killedAfter: number[] = [];
  try {
    // Given an app with links
    const owner = shop.application.client(shop.tokens.api, timeoutMs);
    const simulation = simulate({ seed: 20, now: Date.now(), timezone, days: 30, devices: 1_000, visits: 40 });
    const links = await createLinks(owner, simulation.links, silent);

    // And a webhook, whose receiver fails now and then
    const webhook = await owner.send("POST", `/admin/v1/apps/${app}/webhooks`, {
      ...{ url: receiver.url, types: ["attribution.decided"] },
    });
    receiver.respond = () => ({ status: receiver.requests.length % 50 === 0 ? 500 : 204 });

    // When its traffic is pushed while the process is killed and started again
    const traffic = (async (): Promise<readonly Visited[]> => {
      for (const touchpoints of slices(simulation.touchpoints, 60)) {
        await pushTouchpoints(owner, app, touchpoints, links, silent);
      }
      for (const events of slices(simulation.appEvents, 60)) await pushAppEvents(owner, app, events, silent);
      const visited: Visited[] = [];
      for (const visit of simulation.visits) {
        const link = links[visit.link];
        if (link === undefined) throw new Error("A visit without a link");
        const clickId = await untilOpened(link.shortUrl, visit.userAgent);
        const install = { ...visit.install, eventTimestamp: Date.now(), referrer: { clickId } };
        await pushAppEvents(owner, app, [install], silent);
        visited.push({ clickId, eventId: install.eventId });
      }
      return visited;
    })();
    for (let number = 0; number < kills; number += 1) {
      const delay = Math.round(Math.random() * 1_500);
      killedAfter.push(delay);
      await Promise.race([pause(delay), traffic]);
      await shop.restart();
    }
    const visited = await traffic;

    // Then every report and every read model has everything acknowledged once
    const today = localDate(timezone, Date.now());
    const rows = await reported(owner, addDays(today, -31), addDays(today, -1));
    const truth = simulation.truth.rows().filter(({ date }) => date < today);
    assert.equal(differences(truth, rows), [], `killed after ${killedAfter.join(", ")} ms`);
    for (const { clickId, eventId } of visited) {
      const { data } = (await shop.application.operator.send(
        "GET",
        `/admin/v1/apps/${app}/attributions/${eventId}`,
      )) as {
        data: { winner: { touchpointId: string } | null };
      };
      assert.is(data.winner?.touchpointId, clickId, `killed after ${killedAfter.join(", ")} ms`);
    }
    // And the webhook was sent each decision on them, always under one id
    const { secret } = (webhook as { data: { webhook: CreatedWebhook } }).data.webhook;
    const sentFor = (eventId: string): readonly ReceivedRequest[] =>
      receiver.requests.filter(({ body }) => JSON.parse(body).data.eventId === eventId);
    const deadline = Date.now() + timeoutMs;
    while (visited.some(({ eventId }) => sentFor(eventId).length === 0) && Date.now() < deadline) await pause(100);
    for (const { eventId } of visited) {
      const sent = sentFor(eventId);
      assert.is(new Set(sent.map(({ headers }) => headers["webhook-id"])).size, 1, `killed after ${killedAfter} ms`);
      assert.ok(sent.every((request) => isSignedWith({ secret }, request)));
    }
    const verified = await runProgram(["verify"], { DATA_DIR: shop.data });
    assert.is(verified.code, 0, verified.out + verified.err);
  } finally {
    await shop.end();
    await receiver.close();
  }
});

interface CreatedWebhook {
  readonly secret: string;
}

interface Visited {
  readonly clickId: string;
  readonly eventId: string;
}

function* slices<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Opens a link until somebody answers: a click that was not answered may count or not, one that was must. */
async function untilOpened(url: string, userAgent: string): Promise<string> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await openLink(url, { userAgent });
    } catch (fault) {
      if (Date.now() > deadline) throw fault;
      await pause(50);
    }
  }
}

async function reported(owner: TestClient, from: string, to: string) {
  const { pages } = await runReport(owner, "actuals", app, demoQuery(from, to));
  return reportedRows(pages);
}

test.run();
