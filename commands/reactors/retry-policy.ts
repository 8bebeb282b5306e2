import { backoffMs } from "../../domain/backoff.ts";

/** How failed work is retried, and when it is given up. Milliseconds. */
export interface RetryPolicy {
  /** The pause after the first failure; each further one is twice as long. */
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  /** Work is given up after at least this many failures over at least this time; null: never. */
  readonly giveUp: { readonly failures: number; readonly afterMs: number } | null;
}

/**
 * For work that somebody waits for, reports and exports (contract/reports.md#tasks). A process that was suspended after the
 * first failure tries twice more.
 */
export const retryForOneMinute: RetryPolicy = {
  initialBackoffMs: 1_000,
  maxBackoffMs: 1_000,
  giveUp: { failures: 3, afterMs: 60_000 },
};

/** The failures of one piece of work. Milliseconds of a monotonic clock. */
export interface Failures {
  readonly count: number;
  readonly since: number;
  /** When it is tried again. */
  readonly until: number;
}

/** The failures with one more. */
export function addFailure(
  before: Failures | null,
  now: number,
  { initialBackoffMs, maxBackoffMs }: RetryPolicy,
): Failures {
  const count = (before?.count ?? 0) + 1;
  return { count, since: before?.since ?? now, until: now + backoffMs(count, initialBackoffMs, maxBackoffMs) };
}

/** Whether the work is given up: it has failed often enough over a long enough time. */
export function isExhausted({ count, since }: Failures, now: number, { giveUp }: RetryPolicy): boolean {
  return giveUp !== null && count >= giveUp.failures && now - since >= giveUp.afterMs;
}
