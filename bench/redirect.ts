import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { registerApp, startHouse, temporaryDirectory } from "../test/house.ts";
import type { BenchLine } from "./bench-line.ts";
import { watchMemory } from "./memory.ts";
import { appendLinks, shortIdOf } from "./tracking-links.ts";

const connections = 64;
const warmUpSeconds = 3;
/** Turns of both, as the machine is faster at one time than at another. */
const turns = 8;
const turnSeconds = 2;
const steadySeconds = 8;
const links = 10_000;
const leastRatio = 0.3;
const steadyRates = [
  { perSecond: 500, longestP99: 50 },
  { perSecond: 1_000, longestP99: 30 },
];
const mostMemory = 400;
const projectedWithin = 60_000;
const userAgent =
  "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36";

/** Click redirects, durable and projected, beside a bare Express redirect; then their p99 at a steady rate. */
export async function benchRedirect(): Promise<readonly BenchLine[]> {
  const directory = await temporaryDirectory();
  const house = await startHouse(directory.path);
  try {
    await registerApp(house.operator);
    await appendLinks(house, links);
    const urls = Array.from({ length: links }, (_, number) => `${house.run.linkBaseUrl}/${shortIdOf(number)}`);

    // Every link is clicked at least once before: what is measured is live links, not their first clicks.
    const targets = inTurn(urls);
    for (let clicked = 0; clicked < 2 * links; ) clicked += (await load(targets, warmUpSeconds)).answered;
    const memory = watchMemory(house.run.pid);
    const { ours, bare } = await bareAndOurs(targets);
    const steady = [];
    for (const { perSecond, longestP99 } of steadyRates) {
      await untilProjected(house.run.baseUrl);
      const p99 = await p99At(urls, perSecond);
      steady.push(line(`click redirect, p99 at ${perSecond}/s`, p99, "ms", `< ${longestP99} ms`, p99 < longestP99));
    }
    const { anonymous, resident } = memory.stop();
    const ratio = ours / bare;
    return [
      {
        path: `click redirect, durable, ${connections} connections, ${links} links`,
        measured: ours,
        limit: bare,
        unit: "redirects/s",
        ratio,
        target: `>= ${leastRatio} of a bare Express redirect`,
        met: ratio >= leastRatio,
      },
      ...steady,
      {
        ...line("click redirect, memory of Node", anonymous, "MB", `< ${mostMemory} MB`, anonymous < mostMemory),
        note: `${resident} MB resident with mapped files`,
      },
    ];
  } finally {
    await house.stop();
    await directory.remove();
  }
}

/** Waits until nothing of an earlier load is left to project. */
async function untilProjected(baseUrl: string): Promise<void> {
  for (const deadline = Date.now() + projectedWithin; Date.now() < deadline; await pause(500)) {
    const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
    if (/^projection_lag_positions\{group="facts"\} 0$/m.test(metrics)) return;
  }
  throw new Error(`The clicks were not projected in ${projectedWithin} ms`);
}

function line(path: string, measured: number, unit: string, target: string, met: boolean): BenchLine {
  return { path, measured, unit, limit: null, ratio: null, target, met };
}

/** Redirects a second of a bare Express and of `targets`, loaded one after the other, again and again. */
async function bareAndOurs(targets: Targets): Promise<{ readonly bare: number; readonly ours: number }> {
  const express = await startBareExpress();
  try {
    const bareTargets = inTurn([`${express.baseUrl}/l/k3f9abc`]);
    await load(bareTargets, warmUpSeconds);
    let [bare, ours] = [0, 0];
    for (let turn = 0; turn < turns; turn += 1) {
      bare += (await load(bareTargets, turnSeconds)).perSecond / turns;
      ours += (await load(targets, turnSeconds)).perSecond / turns;
    }
    return { bare: Math.round(bare), ours: Math.round(ours) };
  } finally {
    express.stop();
  }
}

/** `bare-express.ts` in a process of its own. */
export async function startBareExpress(): Promise<{ readonly baseUrl: string; stop(): void }> {
  const program = fileURLToPath(new URL("./bare-express.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return { baseUrl: `http://127.0.0.1:${port.toString().trim()}`, stop: () => child.kill("SIGTERM") };
}

/**
 * The p99 in milliseconds at an even rate. Each click is timed from the moment that it was due; autocannon's own rate
 * sends what a second may have in one burst.
 */
async function p99At(urls: readonly string[], perSecond: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const clicks: Promise<number>[] = [];
  const start = performance.now();
  for (let sent = 0; sent < perSecond * steadySeconds; await pause(1)) {
    for (; sent < ((performance.now() - start) / 1000) * perSecond; sent += 1) {
      clicks.push(click(agent, urls[sent % urls.length] ?? "", start + (sent / perSecond) * 1000));
    }
  }
  const latencies = (await Promise.all(clicks)).sort((one, other) => one - other);
  agent.destroy();
  return Math.round(latencies[Math.floor(latencies.length * 0.99)] ?? 0);
}

function click(agent: Agent, url: string, due: number): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { "user-agent": userAgent } }, (response) => {
      if (response.statusCode !== 302) reject(new Error(`A click was answered ${response.statusCode}`));
      response.resume().once("end", () => resolve(performance.now() - due));
    }).once("error", reject);
  });
}

interface Targets {
  readonly origin: string;
  nextPath(): string;
}

/** Addresses of one server, one after the other, and again: over all loads of them none is left out. */
function inTurn(urls: readonly string[]): Targets {
  const parsed = urls.map((url) => new URL(url));
  let asked = 0;
  return { origin: parsed[0]?.origin ?? "", nextPath: () => parsed[asked++ % parsed.length]?.pathname ?? "/" };
}

/** Loads a server for `duration` seconds. */
async function load({ origin, nextPath }: Targets, duration: number) {
  const result = await autocannon({
    url: origin,
    requests: [{ setupRequest: (request) => ({ ...request, path: nextPath() }) }],
    connections,
    duration,
    headers: { "user-agent": userAgent },
  });
  const answered = result["3xx"];
  if (answered !== result.requests.total || result.errors > 0) {
    throw new Error(`${result.requests.total - answered} answers were no redirect, ${result.errors} failed`);
  }
  return { answered, perSecond: Math.round(answered / result.duration) };
}
