import { backoffMs } from "../backoff.ts";
import { dayMs, hourMs, minuteMs } from "../values/instants.ts";

/** The retry policy of deliveries (contract/webhooks.md#retries). Milliseconds. */
export const retryTimes = {
  initialBackoffMs: 5_000,
  /** Longest wait between two attempts of a delivery. */
  maxBackoffMs: 6 * hourMs,
  /** Longest pause of a webhook whose deliveries all fail. */
  maxPauseMs: 5 * minuteMs,
  /** A delivery, or a webhook, is given up when it has failed for this time ... */
  giveUpMs: 5 * dayMs,
  /** ... and so many times. A lone delivery is sent more than 30 times in five days, if this server runs. */
  giveUpFailures: 20,
} as const;

/** The result of one request. */
export interface AttemptResult {
  /** Status of the response; null: there was none. */
  readonly responseStatus: number | null;
  /** Null: the receiver has accepted it. */
  readonly failure: AttemptFailure | null;
}

/** `blocked_address`: the host has no address that may be called. `status`: the response was not 2xx. */
export type AttemptFailure = "blocked_address" | "connection" | "name_not_found" | "status" | "timeout";

/** The failures of one delivery, or of all of a webhook, since its last success. */
export interface Failing {
  readonly failures: number;
  readonly since: Date;
}

/** The failures with one more. */
export function failingAfter(before: Failing | null, now: Date): Failing {
  return { failures: (before?.failures ?? 0) + 1, since: before?.since ?? now };
}

/** When a delivery is tried again; null: it has failed for good. */
export function nextAttempt(failing: Failing, now: Date): Date | null {
  return isGivenUp(failing, now) ? null : afterBackoff(now, failing.failures, retryTimes.maxBackoffMs);
}

/** Whether something that only fails is given up. Time in which nothing was sent is no failure of the receiver. */
export function isGivenUp({ failures, since }: Failing, now: Date): boolean {
  return failures >= retryTimes.giveUpFailures && now.getTime() - since.getTime() >= retryTimes.giveUpMs;
}

/** The instant after a backoff that is doubled with each failure. */
export function afterBackoff(now: Date, failures: number, maxMs: number): Date {
  return new Date(now.getTime() + backoffMs(failures, retryTimes.initialBackoffMs, maxMs));
}
