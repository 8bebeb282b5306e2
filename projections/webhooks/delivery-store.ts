import type { Knex } from "knex";
import type { TraceContext } from "../../domain/values/trace-context.ts";
import type { AttemptResult, Failing, WebhookHealth } from "../../domain/webhooks/retries.ts";
import type { DueWebhook } from "./due-webhooks.ts";
import { type DeliveryRow, deliveryColumns } from "./queries.ts";

/** What is kept of the finished deliveries of a webhook: the newest. */
export const maxFinished = 1_000;

/** Fails a transaction that may not write any more. */
export type StoreGuard = (trx: Knex.Transaction) => Promise<void>;

export interface NewDelivery {
  readonly deliveryId: string;
  readonly type: DeliveryRow["type"];
  readonly body: string;
  /** The trace that caused it; undefined: none. */
  readonly trace: TraceContext | undefined;
}

/**
 * Begins what is done again when it is lost: notifications become deliveries of the same ids, and deliveries are sent at
 * least once. Its commits do not wait for the disk, which redirects need for their clicks. A killed process loses none.
 */
async function beginRepeatable(trx: Knex.Transaction, guard: StoreGuard): Promise<void> {
  await trx.raw("set local synchronous_commit = off");
  await guard(trx);
}

/** Stores deliveries, and drops finished ones beyond those that are kept. */
async function insertDeliveries(
  trx: Knex.Transaction,
  webhookId: string,
  deliveries: readonly NewDelivery[],
  now: Date,
): Promise<void> {
  await trx.raw(
    `insert into work.webhook_deliveries (delivery_id, webhook_id, type, body, created_at, due_at, trace)
     select "deliveryId", :webhookId, type, body, :now, :now, trace
     from jsonb_to_recordset(:deliveries) as new ("deliveryId" uuid, type text, body text, trace text)
     on conflict (delivery_id) do nothing`,
    { webhookId, deliveries: JSON.stringify(deliveries), now },
  );
  await trx.raw(
    `delete from work.webhook_deliveries
     where delivery_id in (
       select delivery_id
       from work.webhook_deliveries
       where webhook_id = :webhookId and status <> 'waiting'
       order by attempted_at desc
       offset :maxFinished
     )`,
    { webhookId, maxFinished },
  );
}

/** Makes deliveries of notifications up to a position. Once made they are not made again. */
export async function storeDeliveries(
  db: Knex,
  webhookId: string,
  deliveries: readonly NewDelivery[],
  position: bigint,
  now: Date,
  guard: StoreGuard,
): Promise<void> {
  await db.transaction(async (trx) => {
    await beginRepeatable(trx, guard);
    await insertDeliveries(trx, webhookId, deliveries, now);
    await trx.raw(
      `insert into work.webhook_progress (webhook_id, position) values (:webhookId, :position)
       on conflict (webhook_id) do update set position = excluded.position`,
      { webhookId, position: String(position) },
    );
  });
}

/** What became of a delivery after one more request. */
export interface RecordedAttempt extends AttemptResult {
  readonly deliveryId: string;
  readonly status: DeliveryRow["status"];
  /** Null unless it has failed. */
  readonly failing: Failing | null;
  /** Null unless it waits. */
  readonly dueAt: Date | null;
}

/** Stores the results of requests at the same time, and the health of their webhook. */
export async function storeAttempts(
  db: Knex,
  { webhookId, settingsPosition }: Pick<DueWebhook, "webhookId" | "settingsPosition">,
  attempts: readonly RecordedAttempt[],
  { failing, pausedUntil }: WebhookHealth,
  now: Date,
  guard: StoreGuard,
): Promise<void> {
  const rows = attempts.map(({ failing: since, ...attempt }) => ({
    ...attempt,
    failures: since?.failures ?? 0,
    failingSince: since?.since ?? null,
  }));
  await db.transaction(async (trx) => {
    await beginRepeatable(trx, guard);
    await trx.raw(
      `with health as (
         insert into work.webhook_progress as progress
           (webhook_id, settings_position, failures, failing_since, paused_until)
         values (:webhookId, :settingsPosition, :failures, :failingSince, :pausedUntil)
         on conflict (webhook_id) do update
         set settings_position = excluded.settings_position,
             failures = excluded.failures,
             failing_since = excluded.failing_since,
             paused_until = excluded.paused_until
       )
       update work.webhook_deliveries as delivery
       set
         attempts = attempts + 1,
         attempted_at = :now,
         status = attempt.status,
         failures = attempt.failures,
         failing_since = attempt."failingSince",
         due_at = coalesce(attempt."dueAt", delivery.due_at),
         response_status = attempt."responseStatus",
         failure = attempt.failure
       from jsonb_to_recordset(:attempts) as attempt
         ("deliveryId" uuid, status text, failures integer, "failingSince" timestamptz, "dueAt" timestamptz,
          "responseStatus" integer, failure text)
       where delivery.delivery_id = attempt."deliveryId"`,
      {
        ...{ webhookId, settingsPosition: String(settingsPosition), pausedUntil },
        ...{ failures: failing?.failures ?? 0, failingSince: failing?.since ?? null },
        ...{ attempts: JSON.stringify(rows), now },
      },
    );
  });
}

/** Adds a delivery that no event has caused, and sends it even if the webhook is paused. */
export async function addDelivery(
  db: Knex,
  webhookId: string,
  delivery: NewDelivery,
  now: Date,
): Promise<DeliveryRow | null> {
  return db.transaction(async (trx) => {
    await insertDeliveries(trx, webhookId, [delivery], now);
    await endPause(trx, webhookId);
    return rowOf(trx, webhookId, delivery.deliveryId);
  });
}

/** Makes a delivery due, whatever became of it, and ends a pause of its webhook; null when there is no such delivery. */
export async function retryDelivery(
  db: Knex,
  webhookId: string,
  deliveryId: string,
  now: Date,
): Promise<DeliveryRow | null> {
  return db.transaction(async (trx) => {
    await trx.raw(
      `update work.webhook_deliveries
       set status = 'waiting', failures = 0, failing_since = null, due_at = :now
       where delivery_id = :deliveryId and webhook_id = :webhookId`,
      { deliveryId, webhookId, now },
    );
    await endPause(trx, webhookId);
    return rowOf(trx, webhookId, deliveryId);
  });
}

async function endPause(trx: Knex.Transaction, webhookId: string): Promise<void> {
  await trx.raw("update work.webhook_progress set paused_until = null where webhook_id = :webhookId", { webhookId });
}

async function rowOf(trx: Knex.Transaction, webhookId: string, deliveryId: string): Promise<DeliveryRow | null> {
  const { rows } = await trx.raw<{ rows: DeliveryRow[] }>(
    `select ${deliveryColumns}
     from work.webhook_deliveries
     where webhook_id = :webhookId and delivery_id = :deliveryId`,
    { webhookId, deliveryId },
  );
  return rows[0] ?? null;
}
