import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import {
  type RunningApplication,
  registerApp,
  runApplication,
  temporaryDirectory,
} from "../test/support/application-process.ts";
import { type BenchLine, below, shareOf } from "./support/bench-line.ts";
import { anonymousMemory, descendantsOf } from "./support/memory.ts";
import { appendLinks, shortIdOf } from "./tracking-links.ts";

const minutes = Number(process.env.BENCH_SOAK_MINUTES ?? 60);
const minMinutes = 2;
/** Minutes after which memory should no longer grow; in a shorter run, half of its duration. */
const settledAfter = Math.min(10, minutes / 2);
/** With the app events about 30 % of the load that two cores can take. */
const clicksPerSecond = 400;
const batchesPerSecond = 24;
const batchSize = 50;
const links = 1_000;
const visitors = 200_000;
const maxRatio = 1.1;
/** Required share of the intended requests that are sent: a smaller load is another measurement. */
const minSent = 0.95;
const megabyte = 1024 ** 2;
const minuteMs = 60_000;
const samplePause = 2_000;
const connections = 32;
/** Maximum requests without a response yet; further ones are skipped. */
const maxOpen = 256;

/** Memory of Touchledger in MB. */
interface Sample {
  readonly minute: number;
  /** Heap, buffers and stacks of Node with the threads in it, such as the event store. */
  readonly node: number;
  /** The scoring process; 0 without a bundle of models. */
  readonly scoring: number;
  readonly postgres: number;
  readonly heap: number;
  readonly external: number;
}

/**
 * Anonymous memory of Touchledger under an even load of clicks and app events, after ten minutes and at the end of
 * `BENCH_SOAK_MINUTES` (60). Each figure is the mean of a minute; all are printed.
 */
export async function benchSoak(): Promise<readonly BenchLine[]> {
  if (!(minutes >= minMinutes)) throw new RangeError(`BENCH_SOAK_MINUTES must be at least ${minMinutes}.`);
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path, { TRUSTED_PROXIES: "127.0.0.1" });
  try {
    const { sdk } = await registerApp(application.operator);
    await appendLinks(application, links);
    const { means, sent, failed, skipped } = await soak(application, sdk);
    const settled = means.find(({ minute }) => minute >= settledAfter);
    const end = means.at(-1);
    if (settled === undefined || end === undefined) throw new Error("The soak took no sample.");
    const ratio = end.node / settled.node;
    return [
      {
        path: `soak, anonymous memory of Node in minute ${end.minute}, beside that in minute ${settled.minute}`,
        measured: end.node,
        unit: "MB",
        limit: settled.node,
        ratio,
        target: `<= ${maxRatio} times`,
        met: ratio <= maxRatio,
        note: `Postgres ${Math.round(settled.postgres)} MB, then ${Math.round(end.postgres)}`,
      },
      below(1, { path: `soak, requests that failed, of ${sent}`, measured: failed, unit: "requests" }),
      shareOf(sent + skipped, "the intended load", minSent, { path: "soak, load", measured: sent, unit: "requests" }),
    ];
  } finally {
    await application.stop();
    await directory.remove();
  }
}

async function soak(
  application: RunningApplication,
  token: string,
): Promise<{
  readonly means: readonly Sample[];
  readonly sent: number;
  readonly failed: number;
  readonly skipped: number;
}> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const load = { sent: 0, failed: 0, skipped: 0, open: 0 };
  const send = (outgoing: Outgoing): void => {
    if (load.open >= maxOpen) {
      load.skipped += 1;
      return;
    }
    load.sent += 1;
    load.open += 1;
    statusOf(agent, outgoing)
      .then((status) => {
        if (status !== outgoing.status) load.failed += 1;
      })
      .catch(() => {
        load.failed += 1;
      })
      .finally(() => {
        load.open -= 1;
      });
  };
  const start = performance.now();
  const end = start + minutes * minuteMs;
  const means: Sample[] = [];
  let ofMinute: Sample[] = [];
  let nextSample = start + samplePause;
  const due = { clicks: 0, batches: 0 };
  for (let now = start; now < end; now = performance.now()) {
    const seconds = (now - start) / 1000;
    for (; due.clicks < seconds * clicksPerSecond; due.clicks += 1)
      send(click(application.run.linkBaseUrl, due.clicks));
    for (; due.batches < seconds * batchesPerSecond; due.batches += 1) {
      send(batch(application.run.baseUrl, token, due.batches));
    }
    if (now >= nextSample) {
      nextSample += samplePause;
      const minute = Math.floor((now - start) / minuteMs) + 1;
      if (ofMinute[0] !== undefined && ofMinute[0].minute !== minute) {
        means.push(printed(mean(ofMinute)));
        ofMinute = [];
      }
      ofMinute.push(await sample(application, minute));
    }
    await pause(5);
  }
  if (ofMinute.length > 0) means.push(printed(mean(ofMinute)));
  agent.destroy();
  return { means, sent: load.sent, failed: load.failed, skipped: load.skipped };
}

interface Outgoing {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string;
  /** Status that the response must have. */
  readonly status: number;
}

function statusOf(agent: Agent, { method, url, headers, body }: Outgoing): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode));
      response.once("error", reject);
    });
    sent.once("error", reject).end(body);
  });
}

function click(linkBaseUrl: string, number: number): Outgoing {
  const headers = {
    "user-agent": "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile Safari/537.36",
    "x-forwarded-for": addressOf(number),
  };
  return { method: "GET", url: `${linkBaseUrl}/${shortIdOf(number % links)}`, headers, status: 302 };
}

/** One event in ten is an install, so that attribution is part of the load. */
function batch(baseUrl: string, token: string, number: number): Outgoing {
  const events = Array.from({ length: batchSize }, (_, index) => {
    const visitor = number * batchSize + index;
    const installs = visitor % 10 === 0;
    return {
      eventId: randomUUID(),
      eventTimestamp: Date.now(),
      category: installs ? "app_install" : "app_open",
      device: {
        id: `device-${visitor % visitors}`,
        os: "Android",
        osVersion: "14",
        model: "Pixel 8",
        country: "KR",
        ip: addressOf(visitor),
        appVersion: "4.2.0",
      },
    };
  });
  return {
    method: "POST",
    url: `${baseUrl}/events/v1/apps/shop/app-events`,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "x-forwarded-for": addressOf(number),
    },
    body: JSON.stringify({ events }),
    status: 202,
  };
}

function addressOf(number: number): string {
  const visitor = number % visitors;
  return `100.${visitor >> 16}.${(visitor >> 8) & 255}.${visitor & 255}`;
}

async function sample({ run }: RunningApplication, minute: number): Promise<Sample> {
  const metrics = await (await fetch(`${run.baseUrl}/metrics`)).text();
  const metric = (name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1] ?? Number.NaN) / megabyte;
  const children = descendantsOf(run.pid);
  const held = (isPostgres: boolean): number =>
    children.filter((child) => child.isPostgres === isPostgres).reduce((sum, { pid }) => sum + anonymousMemory(pid), 0);
  return {
    minute,
    node: anonymousMemory(run.pid),
    scoring: held(false),
    postgres: held(true),
    heap: metric("nodejs_heap_size_used_bytes"),
    external: metric("nodejs_external_memory_bytes"),
  };
}

function mean(samples: readonly Sample[]): Sample {
  const of = (field: keyof Sample): number => samples.reduce((sum, one) => sum + one[field], 0) / samples.length;
  return {
    minute: of("minute"),
    node: of("node"),
    scoring: of("scoring"),
    postgres: of("postgres"),
    heap: of("heap"),
    external: of("external"),
  };
}

function printed(one: Sample): Sample {
  const figures = (["node", "scoring", "postgres", "heap", "external"] as const).map(
    (field) => `${field} ${one[field].toFixed(1)}`,
  );
  console.log(`  minute ${one.minute}: ${figures.join(", ")} MB`);
  return one;
}
