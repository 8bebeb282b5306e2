import { setTimeout as pause } from "node:timers/promises";
import { faultsOf, generateSchedule, type Scheduled } from "./faults.ts";
import { runLoad } from "./load.ts";
import { breachesOf, saveReport } from "./oracle.ts";
import { startWorld } from "./world.ts";

export interface TortureOptions {
  readonly seed: number;
  /** How long faults begin. */
  readonly seconds: number;
  /** Processes, each with API and worker. */
  readonly workers: number;
  print(line: string): void;
}

export interface TortureResult {
  readonly clicks: number;
  readonly events: number;
  readonly failures: number;
  readonly faults: number;
  /** Answers that took longer than 5 s: a matter of speed, which no test judges. */
  readonly late: readonly string[];
  readonly breaches: readonly string[];
}

/** Runs load while faults come and go, then compares what was acknowledged with what is counted. */
export async function torture({ seed, seconds, workers, print }: TortureOptions): Promise<TortureResult> {
  const world = await startWorld(workers);
  try {
    const schedule = generateSchedule(faultsOf(world), seconds * 1000, seed);
    const stop = new AbortController();
    const loading = runLoad(world, stop.signal);
    const saving = pause(1_000).then(() => saveReport(world));
    const faulting = runSchedule(schedule, print);
    const [faults] = await Promise.all([faulting, pause(seconds * 1000)]).finally(() => stop.abort());
    const [seen, saved] = await Promise.all([loading, saving]);
    const breaches = await breachesOf(world, seen, saved);
    return {
      ...{ clicks: seen.clicks.size, events: seen.events.size, failures: seen.failures },
      ...{ faults, late: seen.late, breaches },
    };
  } finally {
    await world.end();
  }
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
