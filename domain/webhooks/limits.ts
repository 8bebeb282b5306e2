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
  /** A delivery, or a webhook, is given up when it has failed for this time ... */
  giveUpMs: 5 * dayMs,
  /** ... and so many times. A lone delivery is sent more than 30 times in five days, if this server runs. */
  giveUpFailures: 20,
} as const;
