import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";

export const connections = 64;
const warmUpSeconds = 3;
/** Alternating rounds, because the machine's speed varies. */
const rounds = 8;
const roundSeconds = 2;
const steadySeconds = 8;
const projectionTimeoutMs = 120_000;

/** One request of a load. */
export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string;
}

/** Requests to one server, sent in order and repeated. A second load continues where the first one ended. */
export interface Load {
  readonly origin: string;
  /** Status that every response must have. */
  readonly status: number;
  next(): LoadRequest;
}

/** A load that sends these requests in order and repeats them. */
export function loadOf(origin: string, status: number, requests: readonly LoadRequest[]): Load {
  let sent = 0;
  return {
    origin,
    status,
    next: () => {
      const one = requests[sent++ % requests.length];
      if (one === undefined) throw new RangeError("A load needs a request");
      return one;
    },
  };
}

/** Responses per second of a bare Express server and of the measured one, which are loaded in alternating rounds. */
export async function compareWithBare(
  bareOf: (origin: string) => Load | Promise<Load>,
  target: Load,
): Promise<{ readonly bare: number; readonly measured: number }> {
  const express = await startBareExpress();
  try {
    const bare = await bareOf(express.baseUrl);
    await load(bare, warmUpSeconds);
    const perSecond = { bare: 0, measured: 0 };
    for (let round = 0; round < rounds; round += 1) {
      perSecond.bare += (await load(bare, roundSeconds)).perSecond / rounds;
      perSecond.measured += (await load(target, roundSeconds)).perSecond / rounds;
    }
    return { bare: Math.round(perSecond.bare), measured: Math.round(perSecond.measured) };
  } finally {
    express.stop();
  }
}

/** Loads a server until it has sent this many responses. */
export async function warmUp(target: Load, responses: number): Promise<void> {
  for (let received = 0; received < responses; ) received += (await load(target, warmUpSeconds)).count;
}

async function load({ origin, status, next }: Load, duration: number) {
  const result = await autocannon({
    url: origin,
    requests: [{ setupRequest: (request) => ({ ...request, ...next() }) }],
    connections,
    duration,
  });
  const count = result.statusCodeStats?.[`${status}`]?.count ?? 0;
  if (count !== result.requests.total || result.errors > 0) {
    const statuses = JSON.stringify(result.statusCodeStats);
    throw new Error(`Responses other than ${status}: ${statuses}; ${result.errors} failed`);
  }
  return { count, perSecond: Math.round(count / result.duration) };
}

/**
 * The p99 in milliseconds at an even rate. Each request is timed from when it was due. autocannon is not used here,
 * because its fixed rate sends the requests of each second in one burst.
 */
export async function p99At(target: Load, perSecond: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const responses: Promise<number>[] = [];
  const start = performance.now();
  for (let sent = 0; sent < perSecond * steadySeconds; await pause(1)) {
    for (; sent < ((performance.now() - start) / 1000) * perSecond; sent += 1) {
      responses.push(send(agent, target, start + (sent / perSecond) * 1000));
    }
  }
  const latencies = (await Promise.all(responses)).sort((one, other) => one - other);
  agent.destroy();
  return Math.round(latencies[Math.floor(latencies.length * 0.99)] ?? 0);
}

function send(agent: Agent, { origin, status, next }: Load, due: number): Promise<number> {
  const { method, path, headers, body } = next();
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}${path}`, { agent, method, headers }, (response) => {
      if (response.statusCode !== status)
        reject(new Error(`A request got ${response.statusCode} instead of ${status}`));
      response.resume().once("end", () => resolve(performance.now() - due));
    });
    sent.once("error", reject).end(body);
  });
}

/** Waits until the events of an earlier load are projected. */
export async function untilProjected(baseUrl: string): Promise<void> {
  for (const deadline = Date.now() + projectionTimeoutMs; Date.now() < deadline; await pause(500)) {
    const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
    if (/^projection_lag_positions\{group="facts"\} 0$/m.test(metrics)) return;
  }
  throw new Error(`A load was not projected in ${projectionTimeoutMs} ms`);
}

/** Starts `bare-express.ts` in its own process. */
export async function startBareExpress(): Promise<{ readonly baseUrl: string; stop(): void }> {
  const program = fileURLToPath(new URL("./bare-express.js", import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return { baseUrl: `http://127.0.0.1:${port.toString().trim()}`, stop: () => child.kill("SIGTERM") };
}
