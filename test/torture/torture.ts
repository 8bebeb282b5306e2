import { setTimeout as pause } from "node:timers/promises";
import { faultsOf, generateSchedule, type Scheduled, type ScheduleOptions } from "./faults.ts";
import { type LoadOptions, runLoad } from "./load.ts";
import { gatherEvidence, type SavedReport, saveReport } from "./oracle.ts";
import type { Evidence } from "./verdict.ts";
import { startWorld, type World } from "./world.ts";

export interface TortureOptions extends LoadOptions, ScheduleOptions {
  /** Processes, each with API and worker. */
  readonly workers: number;
  /** Reports that are saved meanwhile, and compared at the end. */
  readonly reports: number;
  print(line: string): void;
}

export interface TortureResult {
  readonly faults: number;
  /** Requests that failed, and were repeated if they were no visits. */
  readonly failures: number;
  readonly evidence: Evidence;
}

/** Runs load while faults come and go, then gathers what was acknowledged and what is counted. */
export async function torture({ workers, reports, print, ...options }: TortureOptions): Promise<TortureResult> {
  const world = await startWorld(workers);
  const stop = new AbortController();
  try {
    const schedule = generateSchedule(faultsOf(world), options);
    const loading = runLoad(world, options, stop.signal);
    const saving = saveReports(world, reports, options.seconds, stop.signal);
    const faulting = runSchedule(schedule, print);
    const [faults] = await Promise.all([faulting, pause(options.seconds * 1000)]).finally(() => stop.abort());
    const [seen, saved] = await Promise.all([loading, saving]);
    return { faults, failures: seen.failures, evidence: await gatherEvidence(world, seen, saved) };
  } finally {
    await world.end();
  }
}

/** Saves reports in turn, from the first quarter of the time on; those that are due when it is over are left out. */
async function saveReports(
  world: World,
  count: number,
  seconds: number,
  stop: AbortSignal,
): Promise<readonly SavedReport[]> {
  const saved: SavedReport[] = [];
  const due = Array.from({ length: count }, (_, number) => (seconds * 1000 * (number + 1)) / (count + 3));
  const startedAt = performance.now();
  for (const at of due) {
    await pause(Math.max(0, startedAt + at - performance.now()));
    if (!stop.aborted || saved.length === 0) saved.push(await saveReport(world));
  }
  return saved;
}

/** Runs the faults whose target is whole again by then; how many. Rejects when a fault could not begin or end. */
async function runSchedule(schedule: readonly Scheduled[], print: (line: string) => void): Promise<number> {
  const startedAt = performance.now();
  const until = (at: number): Promise<void> => pause(Math.max(0, startedAt + at - performance.now()));
  const broken = new Set<string>();
  const ran = await Promise.allSettled(
    schedule.map(async ({ fault, begins, ends }) => {
      await until(begins);
      if (broken.has(fault.target)) return 0;
      broken.add(fault.target);
      print(`${(begins / 1000).toFixed(1)} s to ${(ends / 1000).toFixed(1)} s: ${fault.name}`);
      await fault.begin();
      await until(ends);
      await fault.end();
      broken.delete(fault.target);
      return 1;
    }),
  );
  for (const one of ran) if (one.status === "rejected") throw one.reason;
  return ran.filter((one) => one.status === "fulfilled" && one.value === 1).length;
}
