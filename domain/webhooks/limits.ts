import { dayMs } from "../values/instants.ts";

/** Maximum webhooks of an app (contract/webhooks.md#limits). */
export const maxWebhooks = 20;

/** Maximum waiting deliveries of a webhook; beyond it no further ones are made (contract/webhooks.md#limits). */
export const maxWaitingDeliveries = 10_000;

/** How long notifications and finished deliveries are kept (contract/webhooks.md#limits). */
export const retentionDays = 7;

/** How long requests are signed with the previous secret too (contract/webhooks.md#signature). */
export const previousSecretMs = dayMs;
