import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { registerApp, runApplication, temporaryDirectory } from "../test/support/application-process.ts";
import type { TestClient } from "../test/support/test-client.ts";
import { atLeast, type BenchLine, memoryBelow } from "./support/bench-line.ts";
import { loadOf, p99At, untilProjected, warmUp } from "./support/http-load.ts";
import { watchMemory } from "./support/memory.ts";
import { appendLinks, shortIdOf } from "./tracking-links.ts";

const links = 1_000;
const redirectsPerSecond = 200;
const eventsPerSecond = 500;
/** Of the events: each is attributed, and every webhook is told of it. */
const installsPerSecond = 50;
const webhooks = 10;
const batchesPerSecond = 10;
/** Turns of both, as the machine is faster at one time than at another. */
const turns = 4;
const maxRatio = 1.25;
/** What the median of a few turns may differ by without any reason, on a busy machine. */
const toleranceMs = 5;
const maxMemory = 400;
const deliveredWithin = 120_000;
const path = "/admin/v1/apps/shop/webhooks";

/** App events are ingested and redirects served, in turns without and with webhooks that are told of each attribution. */
export async function benchWebhooks(): Promise<readonly BenchLine[]> {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path, { WEBHOOK_PRIVATE_NETWORKS: "true", RATE_LIMITS: "off" });
  const receiver = await startCounter();
  try {
    const { api, sdk } = await registerApp(application.operator);
    const [owner, ingest] = [application.client(api, deliveredWithin), application.client(sdk, deliveredWithin)];
    await appendLinks(application, links);
    const { origin, pathname } = new URL(application.run.linkBaseUrl);
    const clicks = Array.from({ length: links }, (_, number) => ({
      ...({ method: "GET", path: `${pathname}/${shortIdOf(number)}`, headers: {} } as const),
    }));
    const redirects = loadOf(origin, 302, clicks);
    await warmUp(redirects, 2 * links);
    const created = { url: receiver.url, types: ["attribution.decided"] };
    const ids: string[] = [];
    for (let count = 0; count < webhooks; count += 1) {
      ids.push(((await owner.send("POST", path, created)) as CreatedWebhook).data.webhook.id);
    }
    const memory = watchMemory(application.run.pid);

    const p99 = { without: [] as number[], with: [] as number[] };
    const rates: number[] = [];
    for (let turn = 0; turn < 2 * turns; turn += 1) {
      const enabled = turn % 2 === 1;
      for (const id of ids) await owner.send("PATCH", `${path}/${id}`, { enabled });
      const before = receiver.received();
      const events = sendEvents(ingest);
      const measured = await p99At(redirects, redirectsPerSecond);
      const installs = await events.stop();
      (enabled ? p99.with : p99.without).push(measured);
      if (enabled) {
        await untilReceived(receiver, before + webhooks * installs);
        const seconds = (receiver.lastAt() - events.startedAt) / 1_000;
        rates.push((receiver.received() - before) / seconds);
      }
      await untilProjected(application.run.baseUrl);
    }
    const [without, alongside] = [median(p99.without), median(p99.with)];
    return [
      atLeast(0.9 * webhooks * installsPerSecond, {
        path: `deliveries to ${webhooks} webhooks beside ${eventsPerSecond} app events/s and ${redirectsPerSecond} redirects/s`,
        ...{ measured: Math.round(median(rates)), unit: "deliveries/s" },
      }),
      {
        path: "click redirect, p99 beside them",
        ...{ measured: alongside, unit: "ms", limit: without, ratio: alongside / without },
        target: `<= ${maxRatio} of that without a webhook, or ${toleranceMs} ms more`,
        met: alongside <= Math.max(without * maxRatio, without + toleranceMs),
      },
      memoryBelow(maxMemory, "webhooks, memory of Node", memory.stop()),
    ];
  } finally {
    await application.stop();
    await directory.remove();
    receiver.close();
  }
}

interface CreatedWebhook {
  readonly data: { readonly webhook: { readonly id: string } };
}

/** Sends app events at an even rate until it is stopped, which answers how many of them are installs. */
function sendEvents(sdk: TestClient) {
  const startedAt = performance.now();
  const perBatch = eventsPerSecond / batchesPerSecond;
  const installsPerBatch = installsPerSecond / batchesPerSecond;
  let isStopped = false;
  let sent = 0;
  const answers: Promise<unknown>[] = [];
  const sending = (async () => {
    for (let batch = 0; !isStopped; batch += 1) {
      const events = Array.from({ length: perBatch }, (_, index) =>
        anEvent(index < installsPerBatch ? "app_install" : "app_open"),
      );
      answers.push(sdk.send("POST", "/events/v1/apps/shop/app-events", { events }));
      sent += installsPerBatch;
      await pause(Math.max(0, startedAt + ((batch + 1) * 1_000) / batchesPerSecond - performance.now()));
    }
  })();
  return {
    startedAt,
    stop: async (): Promise<number> => {
      isStopped = true;
      await sending;
      await Promise.all(answers);
      return sent;
    },
  };
}

function anEvent(category: string) {
  const device = { id: randomUUID(), os: "Android", osVersion: "14" };
  return { eventId: randomUUID(), eventTimestamp: Date.now(), category, device };
}

/** A receiver that counts. */
async function startCounter() {
  let received = 0;
  let lastAt = 0;
  const server = createServer((request, response) => {
    received += 1;
    lastAt = performance.now();
    request.resume().on("end", () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    received: () => received,
    lastAt: () => lastAt,
    close: () => server.close(),
  };
}

async function untilReceived({ received }: { received(): number }, count: number): Promise<void> {
  for (const deadline = Date.now() + deliveredWithin; received() < count; await pause(50)) {
    if (Date.now() > deadline) throw new Error(`${received()} of ${count} deliveries in ${deliveredWithin} ms`);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
