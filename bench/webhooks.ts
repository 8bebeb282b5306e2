import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import {
  type RunningApplication,
  registerApp,
  runApplication,
  temporaryDirectory,
} from "../test/support/application-process.ts";
import type { TestClient } from "../test/support/typed-client.ts";
import { atLeast, type BenchLine, memoryBelow } from "./support/bench-line.ts";
import { startCountingReceiver } from "./support/counting-receiver.ts";
import { loadOf, p99At, untilProjected, warmUp } from "./support/http-load.ts";
import { watchMemory } from "./support/memory.ts";
import { appendLinks, shortIdOf } from "./tracking-links.ts";

const links = 1_000;
const redirectsPerSecond = 200;
const eventsPerSecond = 500;
/** Included in `eventsPerSecond`. Each install is attributed, and every webhook is notified of it. */
const installsPerSecond = 50;
const webhooks = 10;
const batchesPerSecond = 10;
/** From the start of a round until as many notifications are delivered as arise. */
const settleMs = 2_000;
/** Rounds with and rounds without webhooks, because the machine's speed varies. One more, with webhooks, warms up. */
const rounds = 9;
const maxRatio = 1.25;
/** Difference of medians that noise alone can cause. */
const toleranceMs = 5;
const maxMemory = 400;
const deliveryTimeoutMs = 120_000;
/** Users with different addresses; most of those who install have clicked before. */
const people = 10_000;
const userAgent = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile Safari/537.36";
const path = "/admin/v1/apps/shop/webhooks";

const environment = {
  ...{ WEBHOOK_PRIVATE_NETWORKS: "true", TRUSTED_PROXIES: "127.0.0.1" },
  // The same in all processes, because the secrets of webhooks are derived from it.
  URL_SIGNING_KEY: "the-key-of-the-bench-0123456789abcdef",
};

/**
 * Ingests app events and serves redirects, in alternating rounds without and with webhooks that are notified of each
 * attribution: in one process with all roles, then in a serving process and a separate `worker`.
 */
export async function benchWebhooks(): Promise<readonly BenchLine[]> {
  const lines: BenchLine[] = [];
  for (const isSeparateWorker of [false, true]) {
    const served = await serve(isSeparateWorker);
    try {
      lines.push(...(await measure(served, isSeparateWorker ? "separate worker" : "one process")));
    } finally {
      await served.end();
    }
  }
  return lines;
}

interface Served {
  readonly application: RunningApplication;
  end(): Promise<void>;
}

/** @param isSeparateWorker whether the worker runs in its own process, with the stores of the serving one */
async function serve(isSeparateWorker: boolean): Promise<Served> {
  const [serving, working] = await Promise.all([temporaryDirectory(), temporaryDirectory()]);
  const roles = isSeparateWorker ? { ROLES: "api,event-store" } : {};
  // This start creates the read models: without them a process that serves the API never becomes ready.
  if (isSeparateWorker) await (await runApplication(serving.path, environment)).stop();
  const application = await runApplication(serving.path, { ...environment, ...roles });
  const { eventStoreUrl, databaseUrl, eventStreamPrefix } = application.run;
  const stores = { EVENTSTORE_URL: eventStoreUrl, DATABASE_URL: databaseUrl, EVENT_STREAM_PREFIX: eventStreamPrefix };
  const worker = isSeparateWorker
    ? await runApplication(working.path, { ...environment, ...stores, ROLES: "worker" })
    : null;
  return {
    application,
    end: async () => {
      await worker?.stop();
      await application.stop();
      await Promise.all([serving.remove(), working.remove()]);
    },
  };
}

async function measure({ application }: Served, processes: string): Promise<readonly BenchLine[]> {
  const receiver = await startCountingReceiver();
  try {
    const { api } = await registerApp(application.operator);
    const owner = application.client(api, deliveryTimeoutMs);
    await appendLinks(application, links);
    const { origin, pathname } = new URL(application.run.linkBaseUrl);
    const clicks = Array.from({ length: people }, (_, number) => ({
      ...({ method: "GET", path: `${pathname}/${shortIdOf(number % links)}` } as const),
      headers: { "user-agent": userAgent, "x-forwarded-for": addressOf(number) },
    }));
    const redirects = loadOf(origin, 302, clicks);
    await warmUp(redirects, people);
    const created = { url: receiver.url, types: ["attribution.decided"] };
    const ids: string[] = [];
    for (let count = 0; count < webhooks; count += 1) {
      ids.push(((await owner.send("POST", path, created)) as CreatedWebhook).data.webhook.id);
    }
    await untilProjected(application.run.baseUrl);
    const memory = watchMemory(application.run.pid);

    const p99 = { without: [] as number[], with: [] as number[] };
    const rates: number[] = [];
    for (let round = 0; round <= 2 * rounds; round += 1) {
      const isWarmUp = round === 0;
      const enabled = round % 2 === 0;
      for (const id of ids) await owner.send("PATCH", `${path}/${id}`, { enabled });
      const before = receiver.received();
      const events = sendEvents(owner);
      const rate = settledRate(receiver);
      const measured = await p99At(redirects, redirectsPerSecond);
      const deliveriesPerSecond = (await rate).perSecond();
      const installs = await events.stop();
      if (enabled) await untilReceived(receiver, before + webhooks * installs);
      if (!isWarmUp) (enabled ? p99.with : p99.without).push(measured);
      if (!isWarmUp && enabled) rates.push(deliveriesPerSecond);
      await untilProjected(application.run.baseUrl);
    }
    const [without, alongside] = [median(p99.without), median(p99.with)];
    return [
      atLeast(0.95 * webhooks * installsPerSecond, {
        path: `${processes}: deliveries to ${webhooks} webhooks beside ${eventsPerSecond} app events/s and ${redirectsPerSecond} redirects/s`,
        ...{ measured: Math.round(median(rates)), unit: "deliveries/s" },
      }),
      {
        path: `${processes}: click redirect, p99 beside them`,
        ...{ measured: alongside, unit: "ms", limit: without, ratio: alongside / without },
        target: `<= ${maxRatio} of that without a webhook, or ${toleranceMs} ms more`,
        met: alongside <= Math.max(without * maxRatio, without + toleranceMs),
      },
      memoryBelow(maxMemory, `${processes}: memory of the process that serves`, memory.stop()),
    ];
  } finally {
    await receiver.close();
  }
}

interface CreatedWebhook {
  readonly data: { readonly webhook: { readonly id: string } };
}

/** Sends app events at an even rate until `stop`, which returns the number of installs sent. */
function sendEvents(owner: TestClient) {
  const startedAt = performance.now();
  const perBatch = eventsPerSecond / batchesPerSecond;
  const installsPerBatch = installsPerSecond / batchesPerSecond;
  let isStopped = false;
  let sent = 0;
  const responses: Promise<unknown>[] = [];
  const sending = (async () => {
    for (let batch = 0; !isStopped; batch += 1) {
      const events = Array.from({ length: perBatch }, (_, index) =>
        anEvent(index < installsPerBatch ? "app_install" : "app_open", batch * perBatch + index),
      );
      responses.push(owner.send("POST", "/events/v1/apps/shop/app-events", { events }));
      sent += installsPerBatch;
      await pause(Math.max(0, startedAt + ((batch + 1) * 1_000) / batchesPerSecond - performance.now()));
    }
  })();
  return {
    stop: async (): Promise<number> => {
      isStopped = true;
      await sending;
      await Promise.all(responses);
      return sent;
    },
  };
}

function anEvent(category: string, number: number) {
  const device = { id: randomUUID(), os: "Android", osVersion: "14", ip: addressOf(number % people) };
  return { eventId: randomUUID(), eventTimestamp: Date.now(), category, device };
}

function addressOf(person: number): string {
  return `100.64.${person >> 8}.${person & 255}`;
}

/** Deliveries per second from `settleMs` on. */
async function settledRate({ received }: { received(): number }) {
  await pause(settleMs);
  const [before, since] = [received(), performance.now()];
  return { perSecond: () => ((received() - before) / (performance.now() - since)) * 1_000 };
}

async function untilReceived({ received }: { received(): number }, count: number): Promise<void> {
  for (const deadline = Date.now() + deliveryTimeoutMs; received() < count; await pause(50)) {
    if (Date.now() > deadline) throw new Error(`${received()} of ${count} deliveries in ${deliveryTimeoutMs} ms`);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
