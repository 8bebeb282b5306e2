import type { Knex } from "knex";
import type { Registry } from "prom-client";
import { type AnyReactor, anyReactor } from "../../commands/reactors/runner.ts";
import { webhookDeliverer } from "../../commands/webhooks/deliverer.ts";
import type { WebhookRouteDeps } from "../../commands/webhooks/routes.ts";
import { maxWaitingDeliveries } from "../../domain/webhooks/limits.ts";
import type { ReadModels } from "../../projections/projection.ts";
import { shownNotification } from "../../projections/reports/attributions/shown-notification.ts";
import {
  addDelivery,
  retryDelivery,
  storeAttempts,
  storeDeliveries,
} from "../../projections/webhooks/delivery-store.ts";
import {
  createDeliveryStore,
  endDeliveries,
  hasDeliveriesToEnd,
  webhookBacklogs,
} from "../../projections/webhooks/delivery-tables.ts";
import {
  type DueWebhook,
  dueDeliveries,
  dueWebhooks,
  nextNotifications,
} from "../../projections/webhooks/due-webhooks.ts";
import { webhookOf, webhookOfDelivery } from "../../projections/webhooks/queries.ts";
import { shownDelivery } from "../../read-api/webhooks/routes.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { webhookCleanUp } from "../jobs/webhook-clean-up.ts";
import { createPosterProcess } from "../webhooks/poster-process.ts";
import { isPublicAddress, literalAddress } from "../webhooks/public-address.ts";
import { tracedPost } from "../webhooks/traced-post.ts";
import { measureWebhooks } from "../webhooks/webhook-metrics.ts";
import { currentChannelMonths } from "./channel-months.ts";
import type { OpenReadModels } from "./read-models.ts";

export interface WebhookSettings {
  /** The key that secrets are derived from: the same in every process. */
  readonly signingKey: string;
  /** Whether private networks may be called (contract/webhooks.md#addresses). */
  readonly allowsPrivate: boolean;
}

/** Dependencies of the routes of webhooks. */
export function webhookRouteDeps({
  models,
  reading,
  signingKey,
  allowsPrivate,
}: WebhookSettings & { readonly models: ReadModels; readonly reading: Knex }): Omit<WebhookRouteDeps, "log"> {
  const webhooks = () => models.live("webhooks");
  return {
    ...{ signingKey, allowsPrivate },
    isPrivateHost: (hostname) => {
      if (/^(.+\.)?localhost\.?$/.test(hostname)) return true;
      const address = literalAddress(hostname);
      return address !== null && !isPublicAddress(address);
    },
    webhookOf: async (appId, webhookId) => webhookOf(await webhooks(), appId, webhookId),
    webhookOfDelivery: (deliveryId) => webhookOfDelivery({ db: reading }, deliveryId),
    addDelivery: async (webhookId, delivery, now) => {
      const added = await addDelivery(await webhooks(), webhookId, delivery, now);
      return added && shownDelivery(added);
    },
    retry: async (webhookId, deliveryId, now) => {
      const retried = await retryDelivery(await webhooks(), webhookId, deliveryId, now);
      return retried && shownDelivery(retried);
    },
  };
}

interface WebhookParts extends WebhookSettings, Pick<OpenReadModels, "apps" | "models"> {
  readonly log: EventLog;
  readonly reporting: Knex;
  /** Whose commits do not wait for the disk. */
  readonly notifying: Knex;
  /** Waits until the facts have passed a position; false after `timeoutMs`. */
  waitForFacts(position: bigint, timeoutMs: number): Promise<boolean>;
  readonly registry: Registry;
  /** Default: {@link maxWaitingDeliveries}. */
  readonly maxWaiting?: number;
  now(): Date;
}

/** How long new deliveries wait for the facts. */
const factsTimeoutMs = 1_000;

/** The reactors of webhooks. Creates the tables of deliveries first. */
export async function openWebhookReactors(
  parts: WebhookParts,
): Promise<{ readonly reactors: readonly AnyReactor[]; close(): void }> {
  const { log, models, apps, notifying: db, registry, signingKey, allowsPrivate, now } = parts;
  const { maxWaiting = maxWaitingDeliveries } = parts;
  await createDeliveryStore(parts.reporting, log);
  const poster = createPosterProcess({ allowsPrivate });
  const months = currentChannelMonths(() => models.live("facts"));
  const live = async () => ({ db, schema: (await models.live("webhooks")).schema });
  const requests = measureWebhooks(registry, async () => webhookBacklogs(await live()), now);
  const deliverer = webhookDeliverer<DueWebhook>({
    ...{ log, signingKey, now, requireApp: apps.requireApp },
    shownAttribution: ({ appId, timezone }, data) => shownNotification(months, { appId, timezone, now: now() }, data),
    dueWebhooks: async (max) => dueWebhooks(await live(), { now: now(), max, maxWaiting }),
    nextNotifications: async (webhook, max) => nextNotifications(await live(), webhook, max),
    waitForFacts: (position) => parts.waitForFacts(position, factsTimeoutMs),
    storeDeliveries: ({ webhookId }, deliveries, position, attempt) =>
      storeDeliveries(db, webhookId, deliveries, position, now(), attempt),
    dueDeliveries: (webhook, isPaused, max) => dueDeliveries(db, webhook, isPaused, now(), max),
    storeAttempts: (webhook, attempts, health, attempt) => storeAttempts(db, webhook, attempts, health, now(), attempt),
    post: async (url, headers, body, signal, trace) => {
      const result = await tracedPost(poster, [url, headers, body, signal], trace);
      requests.inc({ result: result.failure ?? "delivered" });
      return result;
    },
  });
  const cleanUp = webhookCleanUp({
    hasDeliveriesToEnd: async () => hasDeliveriesToEnd(await live(), now()),
    endDeliveries: async () => endDeliveries(await live(), now()),
  });
  return { reactors: [anyReactor(deliverer), anyReactor(cleanUp)], close: poster.close };
}
