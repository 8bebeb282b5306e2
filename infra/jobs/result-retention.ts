import { setTimeout as delay } from "node:timers/promises";
import { schedule } from "node-cron";
import type { Log } from "../process/log.ts";

const everyHour = "17 * * * *";

export interface ReportKeeping {
  /** Drops what is kept of reports that are forgotten by `now`; answers of how many. */
  drop(now: Date): Promise<number>;
  readonly log: Pick<Log, "info" | "warn">;
  now(): Date;
  /** How long after a failure it is tried again. */
  readonly retryMs?: number;
  /** When it is done, as cron tells it. */
  readonly at?: string;
}

/** Drops forgotten reports at once, and then every hour; what fails is logged and tried again until it is done. */
export function startReportKeeping({ drop, log, now, retryMs = 60_000, at = everyHour }: ReportKeeping): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const { signal } = stopping;
  const untilDropped = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const dropped = await drop(now());
        log.info({ dropped }, "dropped the rows of reports that have expired");
        return;
      } catch (failure) {
        log.warn({ err: failure }, "the rows of expired reports could not be dropped; trying again");
        await delay(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  };
  let atWork: Promise<void> | null = null;
  const work = (): void => {
    atWork ??= untilDropped().finally(() => {
      atWork = null;
    });
  };
  work();
  const hourly = schedule(at, work);
  return {
    stop: async () => {
      stopping.abort();
      await hourly.destroy();
      await atWork;
    },
  };
}
