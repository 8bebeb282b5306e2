import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import {
  type RunningApplication,
  registerApp,
  runApplication,
  temporaryDirectory,
} from "../test/support/application-process.ts";
import type { TestClient } from "../test/support/test-client.ts";
import { atLeast, type BenchLine, memoryBelow } from "./support/bench-line.ts";
import { startCountingReceiver } from "./support/counting-receiver.ts";
import { loadOf, p99At, untilProjected, warmUp } from "./support/http-load.ts";
import { watchMemory } from "./support/memory.ts";
import { appendLinks, shortIdOf } from "./tracking-links.ts";

const links = 1_000;
const redirectsPerSecond = 200;
const eventsPerSecond = 500;
/** Of the events: each is attributed, and every webhook is notified. */
const installsPerSecond = 50;
const webhooks = 10;
const batchesPerSecond = 10;
/** Turns of both, as the speed of the machine varies. Another one before them, with webhooks, warms up. */
const turns = 5;
const maxRatio = 1.25;
/** What the median of a few turns may differ by without any reason, on a busy machine. */
const toleranceMs = 5;
const maxMemory = 400;
const deliveredWithin = 120_000;
/** People, each with an address of their own: most who install have clicked before. */
const people = 10_000;
const userAgent = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile Safari/537.36";
const path = "/admin/v1/apps/shop/webhooks";

const environment = {
  ...{ WEBHOOK_PRIVATE_NETWORKS: "true", TRUSTED_PROXIES: "127.0.0.1" },
  // Of all processes: the secrets of webhooks are derived from it.
  URL_SIGNING_KEY: "the-key-of-the-bench-0123456789abcdef",
};

/**
 * App events are ingested and redirects served, in turns without and with webhooks that are notified of each attribution:
 * by one process that does everything, and by one that serves beside one of the role `worker`.
 */
export async function benchWebhooks(): Promise<readonly BenchLine[]> {
  const lines: BenchLine[] = [];
  for (const isApart of [false, true]) {
    const served = await serve(isApart);
    try {
      lines.push(...(await measure(served, isApart ? "separate worker" : "one process")));
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

/** @param isApart whether the worker is a process of its own, on the stores of the one that serves */
async function serve(isApart: boolean): Promise<Served> {
  const [serving, working] = await Promise.all([temporaryDirectory(), temporaryDirectory()]);
  const roles = isApart ? { ROLES: "api,event-store" } : {};
  // Creates the read models: without them a process that serves the API never becomes ready.
  if (isApart) await (await runApplication(serving.path, environment)).stop();
  const application = await runApplication(serving.path, { ...environment, ...roles });
  const { eventStoreUrl, databaseUrl, eventStreamPrefix } = application.run;
  const stores = { EVENTSTORE_URL: eventStoreUrl, DATABASE_URL: databaseUrl, EVENT_STREAM_PREFIX: eventStreamPrefix };
  const worker = isApart ? await runApplication(working.path, { ...environment, ...stores, ROLES: "worker" }) : null;
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
    const owner = application.client(api, deliveredWithin);
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
    for (let turn = 0; turn <= 2 * turns; turn += 1) {
      const isWarmUp = turn === 0;
      const enabled = turn % 2 === 0;
      for (const id of ids) await owner.send("PATCH", `${path}/${id}`, { enabled });
      const before = receiver.received();
      const events = sendEvents(owner);
      const measured = await p99At(redirects, redirectsPerSecond);
      const installs = await events.stop();
      if (enabled) await untilReceived(receiver, before + webhooks * installs);
      const seconds = (performance.now() - events.startedAt) / 1_000;
      if (!isWarmUp) (enabled ? p99.with : p99.without).push(measured);
      if (!isWarmUp && enabled) rates.push((receiver.received() - before) / seconds);
      await untilProjected(application.run.baseUrl);
    }
    const [without, alongside] = [median(p99.without), median(p99.with)];
    return [
      atLeast(0.9 * webhooks * installsPerSecond, {
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

/** Sends app events at an even rate until it is stopped, which returns how many of them are installs. */
function sendEvents(owner: TestClient) {
  const startedAt = performance.now();
  const perBatch = eventsPerSecond / batchesPerSecond;
  const installsPerBatch = installsPerSecond / batchesPerSecond;
  let isStopped = false;
  let sent = 0;
  const answers: Promise<unknown>[] = [];
  const sending = (async () => {
    for (let batch = 0; !isStopped; batch += 1) {
      const events = Array.from({ length: perBatch }, (_, index) =>
        anEvent(index < installsPerBatch ? "app_install" : "app_open", batch * perBatch + index),
      );
      answers.push(owner.send("POST", "/events/v1/apps/shop/app-events", { events }));
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

function anEvent(category: string, number: number) {
  const device = { id: randomUUID(), os: "Android", osVersion: "14", ip: addressOf(number % people) };
  return { eventId: randomUUID(), eventTimestamp: Date.now(), category, device };
}

function addressOf(person: number): string {
  return `100.64.${person >> 8}.${person & 255}`;
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
