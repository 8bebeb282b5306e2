import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { createLinks } from "../infra/demo/push.ts";
import { simulate } from "../infra/demo/simulation.ts";
import { startHouse, temporaryDirectory } from "../test/house.ts";
import type { BenchLine } from "./bench-line.ts";
import { watchMemory } from "./memory.ts";

const connections = 64;
const warmUpSeconds = 3;
const seconds = 8;
const steadyRate = 500;
const leastRatio = 0.25;
const longestP99 = 50;
const mostMemory = 400;
const userAgent =
  "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36";

/** Click redirects, durable and projected, beside a bare Express redirect; then their p99 at a steady rate. */
export async function benchRedirect(): Promise<readonly BenchLine[]> {
  const limit = await bareRedirects();
  const directory = await temporaryDirectory();
  const house = await startHouse(directory.path);
  try {
    const app = { name: "shop", timezone: "Asia/Seoul", currency: "USD", ownerEmail: "owner@shop.example" };
    const { data } = (await house.operator.send("POST", "/admin/v1/apps", app)) as {
      data: { tokens: { api: string } };
    };
    const plan = { seed: 1, now: Date.now(), timezone: app.timezone, days: 30, devices: 0, visits: 0 };
    const [link] = await createLinks(house.client(data.tokens.api), simulate(plan).links, () => {});
    if (link === undefined) throw new Error("No link was created");

    await load(link.shortUrl, warmUpSeconds);
    const memory = watchMemory(house.run.pid);
    const full = await load(link.shortUrl, seconds);
    const steady = await load(link.shortUrl, seconds, steadyRate);
    const held = memory.stop();
    return [
      {
        path: "click redirect, durable, 64 connections",
        measured: full.perSecond,
        limit,
        unit: "redirects/s",
        ratio: full.perSecond / limit,
        target: `>= ${leastRatio} of a bare Express redirect`,
        met: full.perSecond / limit >= leastRatio,
      },
      {
        path: `click redirect, p99 at ${steadyRate}/s`,
        measured: steady.p99,
        limit: null,
        unit: "ms",
        ratio: null,
        target: `< ${longestP99} ms`,
        met: steady.p99 < longestP99,
      },
      {
        path: "click redirect, memory of Node",
        measured: held.anonymous,
        limit: null,
        unit: "MB",
        ratio: null,
        target: `< ${mostMemory} MB`,
        met: held.anonymous < mostMemory,
        note: `${held.resident} MB resident with mapped files`,
      },
    ];
  } finally {
    await house.stop();
    await directory.remove();
  }
}

async function bareRedirects(): Promise<number> {
  const bare = await startBareExpress();
  try {
    await load(`${bare.baseUrl}/l/k3f9abc`, warmUpSeconds);
    return (await load(`${bare.baseUrl}/l/k3f9abc`, seconds)).perSecond;
  } finally {
    bare.stop();
  }
}

/** `bare-express.ts` in a process of its own. */
export async function startBareExpress(): Promise<{ readonly baseUrl: string; stop(): void }> {
  const program = fileURLToPath(new URL("./bare-express.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return { baseUrl: `http://127.0.0.1:${port.toString().trim()}`, stop: () => child.kill("SIGTERM") };
}

async function load(url: string, duration: number, overallRate?: number) {
  const result = await autocannon({
    url,
    connections,
    duration,
    headers: { "user-agent": userAgent },
    ...(overallRate === undefined ? {} : { overallRate }),
  });
  const answered = result["3xx"];
  if (answered !== result.requests.total || result.errors > 0) {
    throw new Error(`${result.requests.total - answered} answers were no redirect, ${result.errors} failed`);
  }
  return { perSecond: Math.round(answered / result.duration), p99: result.latency.p99 };
}
