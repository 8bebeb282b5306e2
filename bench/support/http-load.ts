import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";

export const connections = 64;
const warmUpSeconds = 3;
/** Turns of both, as the machine is faster at one time than at another. */
const turns = 8;
const turnSeconds = 2;
const steadySeconds = 8;
const projectedWithin = 120_000;

/** One request of a load. */
export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string;
}

/** Requests to one server, one after the other, and again: over all loads of them none is left out. */
export interface Load {
  readonly origin: string;
  /** What every answer must have. */
  readonly status: number;
  next(): LoadRequest;
}

/** A load of these requests in turn. */
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

/** Answers a second of a bare Express and of ours, loaded one after the other, again and again. */
export async function bareAndOurs(
  bareOf: (origin: string) => Load | Promise<Load>,
  ours: Load,
): Promise<{ readonly bare: number; readonly ours: number }> {
  const express = await startBareExpress();
  try {
    const bare = await bareOf(express.baseUrl);
    await load(bare, warmUpSeconds);
    const perSecond = { bare: 0, ours: 0 };
    for (let turn = 0; turn < turns; turn += 1) {
      perSecond.bare += (await load(bare, turnSeconds)).perSecond / turns;
      perSecond.ours += (await load(ours, turnSeconds)).perSecond / turns;
    }
    return { bare: Math.round(perSecond.bare), ours: Math.round(perSecond.ours) };
  } finally {
    express.stop();
  }
}

/** Loads a server until it has answered so often. */
export async function warmUp(target: Load, answers: number): Promise<void> {
  for (let answered = 0; answered < answers; ) answered += (await load(target, warmUpSeconds)).answered;
}

async function load({ origin, status, next }: Load, duration: number) {
  const result = await autocannon({
    url: origin,
    requests: [{ setupRequest: (request) => ({ ...request, ...next() }) }],
    connections,
    duration,
  });
  const answered = result.statusCodeStats?.[`${status}`]?.count ?? 0;
  if (answered !== result.requests.total || result.errors > 0) {
    const statuses = JSON.stringify(result.statusCodeStats);
    throw new Error(`Answers other than ${status}: ${statuses}; ${result.errors} failed`);
  }
  return { answered, perSecond: Math.round(answered / result.duration) };
}

/**
 * The p99 in milliseconds at an even rate. Each request is timed from the moment that it was due; autocannon's own rate
 * sends what a second may have in one burst.
 */
export async function p99At(target: Load, perSecond: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answers: Promise<number>[] = [];
  const start = performance.now();
  for (let sent = 0; sent < perSecond * steadySeconds; await pause(1)) {
    for (; sent < ((performance.now() - start) / 1000) * perSecond; sent += 1) {
      answers.push(send(agent, target, start + (sent / perSecond) * 1000));
    }
  }
  const latencies = (await Promise.all(answers)).sort((one, other) => one - other);
  agent.destroy();
  return Math.round(latencies[Math.floor(latencies.length * 0.99)] ?? 0);
}

function send(agent: Agent, { origin, status, next }: Load, due: number): Promise<number> {
  const { method, path, headers, body } = next();
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}${path}`, { agent, method, headers }, (response) => {
      if (response.statusCode !== status) reject(new Error(`A request was answered ${response.statusCode}`));
      response.resume().once("end", () => resolve(performance.now() - due));
    });
    sent.once("error", reject).end(body);
  });
}

/** Waits until nothing of an earlier load is left to project. */
export async function untilProjected(baseUrl: string): Promise<void> {
  for (const deadline = Date.now() + projectedWithin; Date.now() < deadline; await pause(500)) {
    const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
    if (/^projection_lag_positions\{group="facts"\} 0$/m.test(metrics)) return;
  }
  throw new Error(`A load was not projected in ${projectedWithin} ms`);
}

/** `bare-express.ts` in a process of its own. */
export async function startBareExpress(): Promise<{ readonly baseUrl: string; stop(): void }> {
  const program = fileURLToPath(new URL("./bare-express.js", import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return { baseUrl: `http://127.0.0.1:${port.toString().trim()}`, stop: () => child.kill("SIGTERM") };
}
