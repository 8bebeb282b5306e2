import { dayMs } from "../values/instants.ts";

/** Retention period of a task that has ended, in milliseconds (contract/reports.md#tasks). */
export const resultRetentionMs = 7 * dayMs;

/** Whether the retention period of a task has expired; both times in epoch milliseconds. */
export function isExpired(endedAt: number, now: number): boolean {
  return now - endedAt >= resultRetentionMs;
}
