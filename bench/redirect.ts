import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { startHouse, temporaryDirectory } from "../test/house.ts";
import type { BenchLine } from "./bench-line.ts";
import { watchMemory } from "./memory.ts";
import { appendLinks, shortIdOf } from "./tracking-links.ts";

const connections = 64;
const warmUpSeconds = 3;
const seconds = 8;
const links = 10_000;
const leastRatio = 0.25;
const steadyRates = [
  { perSecond: 500, longestP99: 50 },
  { perSecond: 1_000, longestP99: 30 },
];
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
    await house.operator.send("POST", "/admin/v1/apps", app);
    await appendLinks(house, links);
    const urls = Array.from({ length: links }, (_, number) => `${house.run.linkBaseUrl}/${shortIdOf(number)}`);

    await load(urls, warmUpSeconds);
    const memory = watchMemory(house.run.pid);
    const full = await load(urls, seconds);
    const steady = [];
    for (const { perSecond, longestP99 } of steadyRates) {
      const { p99 } = await load(urls, seconds, perSecond);
      steady.push(line(`click redirect, p99 at ${perSecond}/s`, p99, "ms", `< ${longestP99} ms`, p99 < longestP99));
    }
    const { anonymous, resident } = memory.stop();
    const ratio = full.perSecond / limit;
    return [
      {
        path: `click redirect, durable, ${connections} connections, ${links} links`,
        measured: full.perSecond,
        limit,
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

function line(path: string, measured: number, unit: string, target: string, met: boolean): BenchLine {
  return { path, measured, unit, limit: null, ratio: null, target, met };
}

async function bareRedirects(): Promise<number> {
  const bare = await startBareExpress();
  try {
    const urls = [`${bare.baseUrl}/l/k3f9abc`];
    await load(urls, warmUpSeconds);
    return (await load(urls, seconds)).perSecond;
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

async function load(urls: readonly string[], duration: number, overallRate?: number) {
  const paths = urls.map((url) => new URL(url).pathname);
  let next = 0;
  const result = await autocannon({
    url: urls[0] ?? "",
    requests: [{ setupRequest: (request) => ({ ...request, path: paths[next++ % paths.length] ?? "/" }) }],
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
