import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { registerApp, runApplication, temporaryDirectory } from "../test/support/application-process.ts";
import { atLeast, type BenchLine, memoryBelow } from "./support/bench-line.ts";
import { startBareExpress } from "./support/http-load.ts";
import { watchMemory } from "./support/memory.ts";

const batchSize = 500;
const batches = 100;
const warmUpBatches = 20;
const connections = 4;
const minPerSecond = 5_000;
const maxMemory = 400;
const projectionTimeoutMs = 60_000;

/** Where app events are sent. */
export interface IngestTarget {
  readonly url: string;
  readonly token: string;
  /** Process id of the measured Node process. */
  readonly pid: number;
  /** Resolves when the read models have passed a position; null when the target has no projections. */
  readonly untilProjected: ((position: bigint) => Promise<void>) | null;
  stop(): Promise<void>;
}

/** Ingest over HTTP in batches of 500, next to a bare Express route: first only durable, then durable and projected. */
export async function benchIngest(): Promise<readonly BenchLine[]> {
  const limit = await bareParsing();
  return [
    ...(await benchTarget("app-event ingest, durable", await ingestAlone(), limit)),
    ...(await benchTarget("app-event ingest, durable and projected", await wholeApplication(), limit)),
  ];
}

/** Measures a target under the same load as the others, then stops it. */
export async function benchTarget(path: string, target: IngestTarget, limit: number): Promise<readonly BenchLine[]> {
  try {
    await send(target, makeBodies(warmUpBatches));
    const bodies = makeBodies(batches);
    const memory = watchMemory(target.pid);
    const startedAt = performance.now();
    const position = await send(target, bodies);
    const writtenAt = performance.now();
    await target.untilProjected?.(position);
    const seconds = (performance.now() - startedAt) / 1000;
    const held = memory.stop();
    const perSecond = Math.round((batches * batchSize) / seconds);
    const written = Math.round((batches * batchSize) / ((writtenAt - startedAt) / 1000));
    const note = `${written} events/s until the last event was on disk`;
    return [
      atLeast(
        minPerSecond,
        { path, measured: perSecond, unit: "events/s", ...(target.untilProjected === null ? {} : { note }) },
        limit,
      ),
      memoryBelow(maxMemory, `${path}, memory of Node`, held),
    ];
  } finally {
    await target.stop();
  }
}

/** HTTP, journals and the embedded event store, without projections. */
export async function ingestAlone(): Promise<IngestTarget> {
  const program = fileURLToPath(new URL("./support/ingest-server.js", import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return {
    url: `http://127.0.0.1:${port.toString().trim()}/events/v1/apps/shop/app-events`,
    token: "bench",
    pid: child.pid ?? 0,
    untilProjected: null,
    stop: async () => {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Touchledger as `npm start` runs it. */
export async function wholeApplication(): Promise<IngestTarget> {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path);
  const { api, sdk } = await registerApp(application.operator);
  return {
    url: `${application.run.baseUrl}/events/v1/apps/shop/app-events`,
    token: sdk,
    pid: application.run.pid,
    untilProjected: (position) => factsPassed(application.run.baseUrl, api, position),
    stop: async () => {
      await application.stop();
      await directory.remove();
    },
  };
}

/**
 * Waits until the facts have passed a position: repeats a read with `X-Min-Position` until it succeeds
 * (contract/http.md#log-positions).
 */
async function factsPassed(baseUrl: string, token: string, position: bigint): Promise<void> {
  const url = `${baseUrl}/admin/v1/apps/shop/attributions/${randomUUID()}`;
  const headers = { authorization: `Bearer ${token}`, "x-min-position": position.toString() };
  for (const deadline = Date.now() + projectionTimeoutMs; Date.now() < deadline; await pause(20)) {
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    if (response.status !== 503) return;
  }
  throw new Error(`The facts did not pass ${position} in ${projectionTimeoutMs} ms`);
}

async function bareParsing(): Promise<number> {
  const bare = await startBareExpress();
  try {
    const target = { url: `${bare.baseUrl}/events`, token: "bench" };
    await send(target, makeBodies(warmUpBatches));
    const bodies = makeBodies(batches);
    const startedAt = performance.now();
    await send(target, bodies);
    return Math.round((batches * batchSize) / ((performance.now() - startedAt) / 1000));
  } finally {
    bare.stop();
  }
}

/** Makes request bodies before the measurement, so that it does not include that work. */
function makeBodies(count: number): readonly Buffer[] {
  return Array.from({ length: count }, (_, batch) => {
    const events = Array.from({ length: batchSize }, (_, index) => anEvent(batch * batchSize + index));
    return Buffer.from(JSON.stringify({ events }));
  });
}

function anEvent(number: number): unknown {
  const buys = number % 4 === 0;
  return {
    eventId: randomUUID(),
    eventTimestamp: Date.now() - (number % 86_400) * 1_000,
    category: buys ? "app_order_complete" : "app_open",
    ...(buys
      ? { value: (number % 10_000) / 100, currency: "USD", properties: { sku: `A-${number % 50}`, count: 2 } }
      : {}),
    device: {
      id: `device-${number % 5_000}`,
      os: "Android",
      osVersion: "14",
      model: "Pixel 8",
      manufacturer: "Google",
      language: "ko",
      country: "KR",
      timezone: "Asia/Seoul",
      gaid: randomUUID(),
      userAgent: "Shop/4.2.0 (Android 14; Pixel 8)",
      appVersion: "4.2.0",
    },
  };
}

/** Posts every body once, a few at a time; returns the highest log position of the responses, 0 if they have none. */
async function send(target: Pick<IngestTarget, "url" | "token">, bodies: readonly Buffer[]): Promise<bigint> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const waiting = [...bodies];
  let highest = 0n;
  const sender = async (): Promise<void> => {
    for (let body = waiting.shift(); body !== undefined; body = waiting.shift()) {
      const position = await post(agent, target, body);
      if (position > highest) highest = position;
    }
  };
  await Promise.all(Array.from({ length: connections }, sender));
  agent.destroy();
  return highest;
}

function post(agent: Agent, { url, token }: Pick<IngestTarget, "url" | "token">, body: Buffer): Promise<bigint> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": body.length,
    };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      let rejects = false;
      response.once("data", (chunk: Buffer) => {
        rejects = chunk.includes('"rejected":[{');
      });
      response.resume();
      response.on("end", () => {
        const position = response.headers["x-log-position"];
        if (response.statusCode === 202 && !rejects) resolve(BigInt(typeof position === "string" ? position : 0));
        else reject(new Error(`Ingest responded with ${response.statusCode}`));
      });
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
