import type { Knex } from "knex";
import { type TraceContext, traceOfStored } from "../../domain/values/trace-context.ts";
import type { WebhookBacklog } from "../../domain/webhooks/backlog.ts";
import type { NotificationType } from "../../domain/webhooks/events.ts";
import { type Failing, retryTimes } from "../../domain/webhooks/retries.ts";
import type { ReadModel } from "../projection.ts";
import type { DeliveryRow } from "./queries.ts";

/** A webhook that has something to send, or to make a delivery of. */
export interface DueWebhook extends WebhookBacklog {
  readonly appId: number;
  readonly webhookId: string;
  readonly url: string;
  readonly secretId: string;
  readonly secretHash: string;
  readonly previousSecretId: string | null;
  readonly previousSecretHash: string | null;
  readonly previousUntil: Date | null;
  /** Position and time of its creation, or its last change or enabling. */
  readonly settingsPosition: bigint;
  readonly settingsAt: Date;
  /** Position of its creation or last enabling. */
  readonly enabledPosition: bigint;
}

/** Deliveries of events from before the webhook was last enabled have failed, even while they are stored as waiting. */
const isWaiting = (enabledPosition: string): string =>
  `status = 'waiting' and (delivery.position < ${enabledPosition}) is not true`;

/**
 * SQL of whether a wait is over. One that ends later than the longest wait from now was begun under a fast clock, and counts
 * as over.
 */
const isOver = (end: string, longest: "maxBackoffMs" | "maxPauseMs"): string =>
  `(${end} <= :now or ${end} > :now::timestamptz + ${retryTimes[longest]} * interval '1 ms')`;

/**
 * Enabled webhooks that have notifications without a delivery, deliveries that a caller has requested or, unless they
 * are paused, due deliveries; the longest waiting first.
 * @param maxWaiting maximum waiting deliveries of a webhook
 */
export async function dueWebhooks(
  { db, schema }: ReadModel,
  { now, max, maxWaiting }: { readonly now: Date; readonly max: number; readonly maxWaiting: number },
): Promise<readonly DueWebhook[]> {
  type Row = Omit<DueWebhook, "failing"> & { readonly failures: number; readonly failingSince: Date | null };
  const { rows } = await db.raw<{ rows: Row[] }>(
    `select webhook.app_id as "appId", webhook_id as "webhookId", url, secret_id as "secretId",
       secret_hash as "secretHash", previous_secret_id as "previousSecretId",
       previous_secret_hash as "previousSecretHash", previous_until as "previousUntil",
       webhook.settings_position as "settingsPosition", settings_at as "settingsAt",
       enabled_position as "enabledPosition", place.position,
       coalesce(health.is_paused, false) as "isPaused",
       due.since is not null as "hasDue",
       next.since is not null as "hasNext",
       greatest(:maxWaiting - waiting.count, 0)::integer as room,
       coalesce(health.failures, 0) as failures, health.failing_since as "failingSince",
       least(due.since, next.since, :now) as since
     from ${schema}.webhooks as webhook
     cross join work.webhook_log
     left join work.webhook_progress as progress using (webhook_id)
     -- Failures under other settings do not count.
     left join lateral (
       select progress.failures, progress.failing_since, not ${isOver("progress.paused_until", "maxPauseMs")} as is_paused
       where progress.settings_position = webhook.settings_position
     ) as health on true
     cross join lateral (
       select greatest(progress.position, webhook_log.position) as position
     ) as place
     -- With offset 0 both queries are planned and run once, not wherever their result is named: 3.7 ms instead of 7.4.
     cross join lateral (
       select least(
         (
           select min(requested_at)
           from work.webhook_deliveries as delivery
           where delivery.webhook_id = webhook.webhook_id and ${isWaiting("enabled_position")}
             and requested_at is not null
         ),
         (
           select min(due_at)
           from work.webhook_deliveries as delivery
           where delivery.webhook_id = webhook.webhook_id and ${isWaiting("enabled_position")}
             and ${isOver("due_at", "maxBackoffMs")} and health.is_paused is not true
         )
       ) as since
       offset 0
     ) as due
     cross join lateral (
       select count(*) as count
       from work.webhook_deliveries as delivery
       where delivery.webhook_id = webhook.webhook_id and ${isWaiting("enabled_position")}
     ) as waiting
     cross join lateral (
       select min(first.at) as since
       from ${schema}.webhook_types as wanted
       cross join lateral (
         select at
         from ${schema}.notifications as notification
         where notification.app_id = webhook.app_id
           and notification.type = wanted.type
           and notification.position > greatest(place.position, wanted.since_position)
         order by notification.position
         limit 1
       ) as first
       where wanted.webhook_id = webhook.webhook_id and waiting.count < :maxWaiting
     ) as next
     where disabled_reason is null
       and (due.since is not null or next.since is not null)
     order by least(due.since, next.since), webhook_id
     limit :max`,
    { now, max, maxWaiting },
  );
  return rows.map(({ failures, failingSince, ...row }) => ({
    ...row,
    failing: failingSince === null ? null : { failures, since: failingSince },
  }));
}

/** An event that a webhook is notified of. */
export interface NotificationRow {
  readonly position: bigint;
  readonly eventId: string;
  readonly type: NotificationType;
  readonly at: Date;
  /** JSON. */
  readonly data: string;
  readonly trace: TraceContext | undefined;
}

/** The next notifications of a webhook, in the order of the log. */
export async function nextNotifications(
  { db, schema }: ReadModel,
  { webhookId, position }: Pick<DueWebhook, "webhookId" | "position">,
  max: number,
): Promise<readonly NotificationRow[]> {
  const { rows } = await db.raw<{ rows: (Omit<NotificationRow, "trace"> & { readonly trace: string | null })[] }>(
    `select next.position, next.event_id as "eventId", next.type, next.at, next.data, next.trace
     from ${schema}.webhooks as webhook
     join ${schema}.webhook_types as wanted using (webhook_id)
     cross join lateral (
       select *
       from ${schema}.notifications as notification
       where notification.app_id = webhook.app_id
         and notification.type = wanted.type
         and notification.position > greatest(:position::bigint, wanted.since_position)
       order by position
       limit :max
     ) as next
     where webhook_id = :webhookId and disabled_reason is null
     order by next.position
     limit :max`,
    { webhookId, position: String(position), max },
  );
  return rows.map(({ trace, ...row }) => ({ ...row, trace: traceOfStored(trace) }));
}

/** A delivery that is due. */
export interface DueDelivery extends Pick<DeliveryRow, "deliveryId" | "type" | "attempts"> {
  readonly body: string;
  /** Null: no request has failed since it was made or retried by hand. */
  readonly failing: Failing | null;
  /** When a caller has requested it; null once a request that began after that has ended. */
  readonly requestedAt: Date | null;
  /** The trace that caused it. */
  readonly trace: TraceContext | undefined;
}

/**
 * Deliveries to send now: those that a caller has requested, then those that are due unless the webhook is paused; the
 * longest waiting of both first.
 */
export async function dueDeliveries(
  db: Knex,
  { webhookId, enabledPosition }: Pick<DueWebhook, "webhookId" | "enabledPosition">,
  isPaused: boolean,
  now: Date,
  max: number,
): Promise<readonly DueDelivery[]> {
  type Row = Omit<DueDelivery, "failing" | "trace"> & {
    readonly failures: number;
    readonly failingSince: Date | null;
    readonly trace: string | null;
  };
  const columns = `delivery_id, type, body, attempts, failures, failing_since, trace, due_at, created_at, requested_at`;
  const { rows } = await db.raw<{ rows: Row[] }>(
    `with requested as (
       select ${columns}
       from work.webhook_deliveries as delivery
       where webhook_id = :webhookId and ${isWaiting(":enabledPosition::bigint")} and requested_at is not null
       order by requested_at, created_at, delivery_id
       limit :max
     ),
     due as (
       select ${columns}
       from work.webhook_deliveries as delivery
       where webhook_id = :webhookId and ${isWaiting(":enabledPosition::bigint")} and requested_at is null
         and ${isOver("due_at", "maxBackoffMs")} and not :isPaused::boolean
       order by due_at, created_at, delivery_id
       limit :max
     )
     select delivery_id as "deliveryId", type, body, attempts, failures, failing_since as "failingSince", trace,
       requested_at as "requestedAt"
     from (select * from requested union all select * from due) as next
     order by requested_at, due_at, created_at, delivery_id
     limit :max`,
    { webhookId, enabledPosition: String(enabledPosition), isPaused, now, max },
  );
  return rows.map(({ failures, failingSince, trace, ...row }) => ({
    ...row,
    trace: traceOfStored(trace),
    failing: failingSince === null ? null : { failures, since: failingSince },
  }));
}
