/** How long a task that has ended can be read, in milliseconds (contract/reports.md#tasks). */
export const resultRetentionMs = 7 * 24 * 60 * 60 * 1000;

/** Whether a task that ended at `endedAt` is not told of any more at `now`; both in milliseconds since 1970. */
export function isExpired(endedAt: number, now: number): boolean {
  return now - endedAt >= resultRetentionMs;
}
