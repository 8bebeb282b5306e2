const maxRss = 1_500 * 1024 * 1024;

/** How many resources of each type keep the process running now. */
export function openResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

/** Types of resources of which more are open now than before. */
export function leftOpen(before: ReadonlyMap<string, number>): readonly string[] {
  const more = [...openResources()].filter(([type, count]) => count > (before.get(type) ?? 0));
  return more.map(([type]) => type);
}

const replaced = { ...globalThis.console, setTimeout, setInterval, setImmediate, fetch, Date, random: Math.random };
const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2", "uncaughtException", "unhandledRejection"];

/**
 * What a file may change about its process and another file would notice, in one text: environment, working directory,
 * signal handlers, replaced globals, an OpenTelemetry SDK. A process that has become large differs too.
 */
export function processState(): string {
  const current = { ...globalThis.console, setTimeout, setInterval, setImmediate, fetch, Date, random: Math.random };
  const isReplaced = Object.entries(replaced).some(([name, value]) => current[name as keyof typeof current] !== value);
  const listeners = signals.map((signal) => process.listenerCount(signal));
  const isTraced = Symbol.for("opentelemetry.js.api.1") in globalThis;
  const isLarge = process.memoryUsage.rss() > maxRss;
  return JSON.stringify([process.env, process.cwd(), listeners, isReplaced, isTraced, isLarge]);
}
