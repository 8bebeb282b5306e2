import { setTimeout as delay } from "node:timers/promises";
import { schedule } from "node-cron";
import type { Log } from "../process/log.ts";

const everyMinute = "41 * * * * *";
/** How long it pauses after a day, in times of what the day took: others need the database more. */
const pauses = 4;

/** A day of an app whose facts are not counted as they stand. */
export interface DayToCount {
  readonly app_id: number;
  /** `YYYY-MM-DD`. */
  readonly local_date: string;
  /** Another number whenever its facts have changed. */
  readonly changes: bigint;
}

export interface DayCounting {
  /** The days whose counts are missing or hold no more. */
  due(): Promise<readonly DayToCount[]>;
  count(day: DayToCount): Promise<void>;
  readonly log: Pick<Log, "warn">;
  /** When it looks for days, as cron tells it. */
  readonly at?: string;
}

/**
 * Counts the facts of days that are at rest until `signal` aborts: those that have not changed between two looks, one
 * after the other. What fails is logged, and due again at the next look.
 */
export async function countDays(
  { due, count, log, at = everyMinute }: DayCounting,
  signal: AbortSignal,
): Promise<void> {
  let seen: ReadonlyMap<string, bigint> = new Map();
  const look = async (): Promise<void> => {
    const days = await due();
    const atRest = days.filter((day) => seen.get(nameOf(day)) === day.changes);
    seen = new Map(days.map((day) => [nameOf(day), day.changes]));
    for (const day of atRest) {
      if (signal.aborted) return;
      const since = performance.now();
      await count(day);
      await delay(pauses * (performance.now() - since), undefined, { signal }).catch(() => undefined);
    }
  };
  let atWork: Promise<void> | null = null;
  const bell = schedule(at, () => {
    atWork ??= look()
      .catch((failure) => log.warn({ err: failure }, "days could not be counted; trying again at the next look"))
      .finally(() => {
        atWork = null;
      });
  });
  await aborted(signal);
  await bell.destroy();
  await atWork;
}

function nameOf({ app_id, local_date }: DayToCount): string {
  return `${app_id} ${local_date}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
