import { dayMs, hourMs, minuteMs } from "../values/instants.ts";

/** Maximum webhooks of an app (contract/webhooks.md#limits). */
export const maxWebhooks = 20;

/** Maximum waiting deliveries of a webhook; beyond it no further ones are made (contract/webhooks.md#limits). */
export const maxWaitingDeliveries = 10_000;

/** How long notifications and finished deliveries are kept (contract/webhooks.md#limits). */
export const retentionDays = 7;

/** The retry policy of deliveries (contract/webhooks.md#retries). Milliseconds. */
export const retryTimes = {
  initialBackoffMs: 5_000,
  /** Longest wait between two attempts of a delivery. */
  maxBackoffMs: 6 * hourMs,
  /** Longest pause of a webhook whose deliveries all fail. */
  maxPauseMs: 5 * minuteMs,
  /** A delivery, or a webhook, that has failed for this time is given up, ... */
  giveUpMs: 5 * dayMs,
  /** ... but not with fewer requests. One delivery alone gets 31 in that time, unless nothing was sent for a part of it. */
  giveUpFailures: 20,
} as const;
