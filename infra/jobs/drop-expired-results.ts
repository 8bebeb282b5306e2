import type { Reactor } from "../../commands/reactors/reactor.ts";

interface ExpiredResults {
  readonly appId: null;
  readonly taskIds: readonly string[];
}

export interface ExpiredResultsDeps {
  /** The reports whose retention period has expired, with results that are still stored or requested. */
  expired(): Promise<readonly string[]>;
  /** Drops the results of reports. */
  drop(taskIds: readonly string[]): Promise<void>;
}

const hourly = "17 * * * *";
const dayMs = 24 * 3_600_000;

/** Drops the results of reports whose retention period has expired, every hour. */
export function dropExpiredResults({ expired, drop }: ExpiredResultsDeps): Reactor<ExpiredResults, null> {
  return {
    name: "result_retention",
    role: "reports",
    list: "control",
    adds: () => false,
    open: async () => {
      const taskIds = await expired();
      return taskIds.length === 0 ? [] : [{ appId: null, taskIds }];
    },
    keyOf: () => "expired",
    act: async ({ taskIds }) => {
      await drop(taskIds);
      return null;
    },
    record: async () => false,
    retry: { initialBackoffMs: 60_000, maxBackoffMs: 60_000, giveUp: null },
    schedule: hourly,
    limits: { maxConcurrent: 1, maxOpen: 1, pollMs: dayMs },
  };
}
