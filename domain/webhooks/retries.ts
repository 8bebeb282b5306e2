import { backoffMs } from "../backoff.ts";
import type { DisabledReason } from "./events.ts";
import { retryTimes } from "./limits.ts";

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
export function nextAttempt({ failures, since }: Failing, now: Date): Date | null {
  if (now.getTime() - since.getTime() >= retryTimes.giveUpMs) return null;
  return after(now, failures, retryTimes.maxBackoffMs);
}

/** The health of a webhook after concurrent requests. */
export interface WebhookHealth {
  /** Null when at least one of the last requests succeeded. */
  readonly failing: Failing | null;
  /** End of the pause; null: none. */
  readonly pausedUntil: Date | null;
  /** Why it is disabled; null: it is not. */
  readonly disable: Exclude<DisabledReason, "requested"> | null;
}

/** One success makes a webhook healthy; a response of 410 disables it at once. */
export function healthAfter(before: Failing | null, results: readonly AttemptResult[], now: Date): WebhookHealth {
  const isGone = results.some(({ responseStatus }) => responseStatus === 410);
  if (!isGone && results.some(({ failure }) => failure === null)) {
    return { failing: null, pausedUntil: null, disable: null };
  }
  const failing = failingAfter(before, now);
  const isExhausted = now.getTime() - failing.since.getTime() >= retryTimes.giveUpMs;
  return {
    failing,
    pausedUntil: after(now, failing.failures, retryTimes.maxPauseMs),
    disable: isGone ? "gone" : isExhausted ? "failing" : null,
  };
}

function after(now: Date, failures: number, maxMs: number): Date {
  return new Date(now.getTime() + backoffMs(failures, retryTimes.initialBackoffMs, maxMs));
}
