import { registerApp, runApplication, temporaryDirectory } from "../test/support/application-process.ts";
import type { BenchLine } from "./bench-line.ts";
import { bareAndOurs, connections, type LoadRequest, loadOf, p99At, untilProjected, warmUp } from "./http-load.ts";
import { watchMemory } from "./memory.ts";
import { appendLinks, shortIdOf } from "./tracking-links.ts";

const links = 10_000;
const leastRatio = 0.3;
const steadyRates = [
  { perSecond: 500, longestP99: 50 },
  { perSecond: 1_000, longestP99: 30 },
];
const mostMemory = 400;
const redirected = 302;
const headers = {
  "user-agent":
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36",
};

/** Click redirects, durable and projected, beside a bare Express redirect; then their p99 at a steady rate. */
export async function benchRedirect(): Promise<readonly BenchLine[]> {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path);
  try {
    await registerApp(application.operator);
    await appendLinks(application, links);
    const { origin, pathname } = new URL(application.run.linkBaseUrl);
    const clickOn = (path: string): LoadRequest => ({ method: "GET", path, headers });
    const clicks = Array.from({ length: links }, (_, number) => clickOn(`${pathname}/${shortIdOf(number)}`));

    // Every link is clicked at least once before: what is measured is live links, not their first clicks.
    const target = loadOf(origin, redirected, clicks);
    await warmUp(target, 2 * links);
    const memory = watchMemory(application.run.pid);
    const { ours, bare } = await bareAndOurs(
      (bareOrigin) => loadOf(bareOrigin, redirected, [clickOn("/l/k3f9abc")]),
      target,
    );
    const steady = [];
    for (const { perSecond, longestP99 } of steadyRates) {
      await untilProjected(application.run.baseUrl);
      const p99 = await p99At(target, perSecond);
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
    await application.stop();
    await directory.remove();
  }
}

function line(path: string, measured: number, unit: string, target: string, met: boolean): BenchLine {
  return { path, measured, unit, limit: null, ratio: null, target, met };
}
