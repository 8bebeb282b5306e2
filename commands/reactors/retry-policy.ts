/** What kept failing about an upload: how often, since when, and until when it is left alone. Epoch milliseconds. */
export interface Faults {
  readonly count: number;
  readonly since: number;
  readonly until: number;
}

/** A technical fault is retried (contract/uploads.md#record); so many failures over so long end an upload. */
const mostFailures = 10;
const longEnoughMs = 10 * 60_000;
const shortestPauseMs = 1_000;
const longestPauseMs = 120_000;

/** The faults of an upload with one more, after which it is left alone for twice as long as after the one before. */
export function oneMoreFault(before: Faults | undefined, now: number): Faults {
  const count = (before?.count ?? 0) + 1;
  const pause = Math.min(longestPauseMs, shortestPauseMs * 2 ** (count - 1));
  return { count, since: before?.since ?? now, until: now + pause };
}

/** Whether an upload has failed often enough, for long enough, to be given up (contract/uploads.md#record). */
export function isGivenUp({ count, since }: Faults, now: number): boolean {
  return count >= mostFailures && now - since >= longEnoughMs;
}
