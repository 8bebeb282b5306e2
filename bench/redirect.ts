import { registerApp, runApplication, temporaryDirectory } from "../test/support/application-process.ts";
import { type BenchLine, below, memoryBelow, shareOf } from "./support/bench-line.ts";
import {
  compareWithBare,
  connections,
  type LoadRequest,
  loadOf,
  p99At,
  untilProjected,
  warmUp,
} from "./support/http-load.ts";
import { watchMemory } from "./support/memory.ts";
import { appendLinks, shortIdOf } from "./tracking-links.ts";

const links = 10_000;
const minRatio = 0.3;
const steadyRates = [
  { perSecond: 500, maxP99: 50 },
  { perSecond: 1_000, maxP99: 30 },
];
const maxMemory = 400;
const redirected = 302;
const headers = {
  "user-agent":
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36",
};

/** Click redirects, durable and projected, next to a bare Express redirect; then their p99 at an even rate. */
export async function benchRedirect(): Promise<readonly BenchLine[]> {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path);
  try {
    await registerApp(application.operator);
    await appendLinks(application, links);
    const { origin, pathname } = new URL(application.run.linkBaseUrl);
    const clickOn = (path: string): LoadRequest => ({ method: "GET", path, headers });
    const clicks = Array.from({ length: links }, (_, number) => clickOn(`${pathname}/${shortIdOf(number)}`));

    // Every link is clicked once before the measurement, so that it is in the cache.
    const target = loadOf(origin, redirected, clicks);
    await warmUp(target, 2 * links);
    const memory = watchMemory(application.run.pid);
    const { measured, bare } = await compareWithBare(
      (bareOrigin) => loadOf(bareOrigin, redirected, [clickOn("/l/k3f9abc")]),
      target,
    );
    const steady: BenchLine[] = [];
    for (const { perSecond, maxP99 } of steadyRates) {
      await untilProjected(application.run.baseUrl);
      steady.push(
        below(maxP99, {
          path: `click redirect, p99 at ${perSecond}/s`,
          measured: await p99At(target, perSecond),
          unit: "ms",
        }),
      );
    }
    const held = memory.stop();
    return [
      shareOf(bare, "a bare Express redirect", minRatio, {
        path: `click redirect, durable, ${connections} connections, ${links} links`,
        measured,
        unit: "redirects/s",
      }),
      ...steady,
      memoryBelow(maxMemory, "click redirect, memory of Node", held),
    ];
  } finally {
    await application.stop();
    await directory.remove();
  }
}
