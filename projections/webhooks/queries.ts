import type { DisabledReason, NotificationType } from "../../domain/webhooks/events.ts";
import type { ReadModel } from "../projection.ts";

/** A webhook as it is now. */
export interface WebhookRow {
  readonly webhookId: string;
  readonly url: string;
  readonly types: readonly NotificationType[];
  readonly description: string | null;
  /** Null: it is enabled. */
  readonly disabledReason: DisabledReason | null;
  /** Since when every request has failed; null when the last one did not. */
  readonly failingSince: Date | null;
  readonly createdAt: Date;
}

/** Failures under other settings do not count. */
const webhookRows = (schema: string): string => `
  select webhook_id as "webhookId", url, types, description, disabled_reason as "disabledReason",
    coalesce(webhook.failing_since, progress.failing_since) as "failingSince", created_at as "createdAt"
  from ${schema}.webhooks as webhook
  left join work.webhook_progress as progress using (webhook_id, settings_position)`;

/** The webhooks of an app, newest first. */
export async function webhooksOf({ db, schema }: ReadModel, appId: number): Promise<readonly WebhookRow[]> {
  const { rows } = await db.raw<{ rows: WebhookRow[] }>(
    `${webhookRows(schema)}
     where app_id = :appId
     order by created_at desc, webhook_id desc`,
    { appId },
  );
  return rows;
}

/** A webhook of an app; null when the app has none of that id. `webhookId` must be a UUID. */
export async function webhookOf(
  { db, schema }: ReadModel,
  appId: number,
  webhookId: string,
): Promise<WebhookRow | null> {
  const { rows } = await db.raw<{ rows: WebhookRow[] }>(
    `${webhookRows(schema)}
     where app_id = :appId and webhook_id = :webhookId`,
    { appId, webhookId },
  );
  return rows[0] ?? null;
}

export type DeliveryStatus = "waiting" | "delivered" | "failed";

/** An event on its way to a webhook. */
export interface DeliveryRow {
  /** The `webhook-id` of its requests. */
  readonly deliveryId: string;
  readonly type: NotificationType | "webhook.test";
  readonly status: DeliveryStatus;
  /** Requests so far. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** Of the last request. */
  readonly attemptedAt: Date | null;
  /** Null unless it waits. */
  readonly nextAttemptAt: Date | null;
  /** Of the last response. */
  readonly responseStatus: number | null;
  /** Why the last request failed, or why it was given up. */
  readonly failure: string | null;
}

export interface DeliverySearch {
  readonly webhookId: string;
  /** Null: any. */
  readonly status: DeliveryStatus | null;
  readonly skip: number;
  readonly size: number;
}

export const deliveryColumns = `delivery_id as "deliveryId", type, status, attempts, created_at as "createdAt",
  attempted_at as "attemptedAt", case status when 'waiting' then due_at end as "nextAttemptAt",
  response_status as "responseStatus", failure`;

/** A page of a webhook's deliveries, newest first, and the number of all that match. */
export async function deliveriesOf(
  { db }: Pick<ReadModel, "db">,
  { webhookId, status, skip, size }: DeliverySearch,
): Promise<{ readonly totalCount: number; readonly deliveries: readonly DeliveryRow[] }> {
  const matching = "webhook_id = :webhookId and (:status::text is null or status = :status)";
  const { rows: counted } = await db.raw<{ rows: { total: bigint }[] }>(
    `select count(*) as total from work.webhook_deliveries where ${matching}`,
    { webhookId, status },
  );
  const { rows: deliveries } = await db.raw<{ rows: DeliveryRow[] }>(
    `select ${deliveryColumns}
     from work.webhook_deliveries
     where ${matching}
     order by created_at desc, delivery_id desc
     offset :skip
     limit :size`,
    { webhookId, status, skip, size },
  );
  return { totalCount: Number(counted[0]?.total ?? 0), deliveries };
}

/** The webhook of a delivery; null when there is no such delivery. `deliveryId` must be a UUID. */
export async function webhookOfDelivery({ db }: Pick<ReadModel, "db">, deliveryId: string): Promise<string | null> {
  const { rows } = await db.raw<{ rows: { webhook_id: string }[] }>(
    "select webhook_id from work.webhook_deliveries where delivery_id = :deliveryId",
    { deliveryId },
  );
  return rows[0]?.webhook_id ?? null;
}
