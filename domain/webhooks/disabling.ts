import type { DisabledReason } from "./events.ts";
import { type AttemptResult, afterBackoff, type Failing, failingAfter, isGivenUp, retryTimes } from "./retries.ts";

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
  return {
    failing,
    pausedUntil: afterBackoff(now, failing.failures, retryTimes.maxPauseMs),
    disable: isGone ? "gone" : isGivenUp(failing, now) ? "failing" : null,
  };
}
