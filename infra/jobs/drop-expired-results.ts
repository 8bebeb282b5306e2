import type { Reactor } from "../../commands/reactors/reactor.ts";
import { dayMs, minuteMs } from "../../domain/values/instants.ts";

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
    retry: { initialBackoffMs: minuteMs, maxBackoffMs: minuteMs, giveUp: null },
    schedule: hourly,
    limits: { maxConcurrent: 1, maxOpen: 1, pollMs: dayMs },
  };
}
