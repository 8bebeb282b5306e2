import { setTimeout as pause } from "node:timers/promises";
import { gatherEvidence, ReportFailed, type SavedReport, saveReport } from "./evidence.ts";
import { faultsOf, generateSchedule, type Scheduled, type ScheduleOptions } from "./faults.ts";
import { type LoadOptions, runLoad } from "./load.ts";
import type { Evidence } from "./verdict.ts";
import { startWorld, type World } from "./world.ts";

interface TortureOptions extends LoadOptions, ScheduleOptions {
  /** Processes, each with API and worker. */
  readonly workers: number;
  /** Reports that are saved meanwhile, and compared at the end. */
  readonly reports: number;
  print(line: string): void;
}

interface TortureResult {
  /** Names of the faults that ran. */
  readonly faults: readonly string[];
  /** Requests that failed, and were repeated if they were no visits. */
  readonly failures: number;
  readonly evidence: Evidence;
}

/** Runs load while faults come and go, then gathers what was acknowledged and what is counted. */
export async function torture({ workers, reports, print, ...options }: TortureOptions): Promise<TortureResult> {
  const world = await startWorld(workers);
  const stop = new AbortController();
  try {
    const schedule = generateSchedule(faultsOf(world, options.seed), options);
    const loading = runLoad(world, options, stop.signal);
    const saving = saveReports(world, reports, options.seconds, stop.signal);
    const faulting = runSchedule(schedule, options.maxPauseMs, print);
    const [faults] = await Promise.all([faulting, pause(options.seconds * 1000)]).finally(() => stop.abort());
    const [early] = await Promise.all([saving, loading]);
    const saved = early.length > 0 ? early : [await saveReport(world)];
    return { faults, failures: world.seen.failures, evidence: await gatherEvidence(world, saved) };
  } finally {
    await world.end();
  }
}

/** Saves reports in turn while faults come and go; those that nobody has answered when it is over are left out. */
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
    const report = await saveFromAny(world, stop);
    if (report !== null) saved.push(report);
  }
  return saved;
}

/** From the first process that answers; null when none does until `stop` aborts. */
async function saveFromAny(world: World, stop: AbortSignal): Promise<SavedReport | null> {
  for (let node = 0; !stop.aborted; node += 1) {
    try {
      return await saveReport(world, { node, retryMs: 2_000 });
    } catch (failure) {
      if (failure instanceof ReportFailed) {
        world.breaches.push(failure.message);
        return null;
      }
      await pause(100);
    }
  }
  return null;
}

/**
 * Runs every fault, one after the other on a target; their names. Rejects when one could not begin or end. A cluster can take
 * longer to be whole again than the schedule allows: it then gets a pause before its next fault all the same, in which
 * processes can start.
 */
async function runSchedule(
  schedule: readonly Scheduled[],
  maxPauseMs: number,
  print: (line: string) => void,
): Promise<readonly string[]> {
  const startedAt = performance.now();
  const sinceStart = (): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  const wholeAgain = new Map<string, Promise<void>>();
  const run = async ({ fault, begins, ends }: Scheduled, before: Promise<void>): Promise<void> => {
    await Promise.all([pause(begins), before]);
    const begunAt = sinceStart();
    const over = pause(ends - begins);
    await fault.begin();
    await over;
    await fault.end();
    print(`${begunAt} to ${sinceStart()}: ${fault.name}`);
  };
  for (const one of schedule) {
    const { target } = one.fault;
    const before = wholeAgain.get(target)?.then(() => pause(maxPauseMs));
    wholeAgain.set(target, run(one, before ?? Promise.resolve()));
  }
  const ended = await Promise.allSettled(wholeAgain.values());
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return schedule.map(({ fault }) => fault.name);
}
