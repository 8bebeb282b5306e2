import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { csv, faultsOf, validCells } from "./csv-files.ts";
import { heavyFiles } from "./hostile-examples.ts";

/** What the validation of one file cost a process of its own. */
export interface Cost {
  readonly faults: unknown;
  /** Milliseconds of processor time of all threads: other tests run at the same time. */
  readonly cpuMs: number;
  /** Peak of anonymous memory above the least that the process had before this file or an earlier one, in KiB. */
  readonly growthKib: number;
}

// Ordinary files first: then growth is what the hostile files take, not what V8 allocates once.
for (const kind of ["ad_spend", "metric"] as const) {
  const ordinary = csv([Object.keys(validCells[kind]), ...Array(10_000).fill(Object.values(validCells[kind]))]);
  for (let count = 0; count < 5; count += 1) await faultsOf(kind, ordinary);
}
const files = heavyFiles.map(({ kind, bytes }) => ({ kind, bytes: bytes() }));

const costs: Cost[] = [];
let baseline = Number.POSITIVE_INFINITY;
for (const { kind, bytes } of files) {
  globalThis.gc?.();
  let peak = anonymousKib();
  baseline = Math.min(baseline, peak);
  let isRunning = true;
  const cpu = process.cpuUsage();
  const validation = faultsOf(kind, bytes).finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    await setTimeout(2);
    peak = Math.max(peak, anonymousKib());
  }
  const { user, system } = process.cpuUsage(cpu);
  costs.push({ faults: await validation, cpuMs: (user + system) / 1000, growthKib: peak - baseline });
}
process.send?.(costs, () => process.disconnect());

function anonymousKib(): number {
  const status = readFileSync("/proc/self/status", "utf8");
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]);
}
