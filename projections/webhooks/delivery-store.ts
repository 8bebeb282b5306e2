import type { Knex } from "knex";
import type { TraceContext } from "../../domain/values/trace-context.ts";
import type { WebhookHealth } from "../../domain/webhooks/disabling.ts";
import type { AttemptResult, Failing } from "../../domain/webhooks/retries.ts";
import { Fenced } from "../engine/checkpoints/checkpoint.ts";
import { type Leadership, leaderRow } from "../engine/leader/leader-election.ts";
import type { ReadModel } from "../projection.ts";
import type { DueWebhook } from "./due-webhooks.ts";
import { type DeliveryRow, deliveryColumns } from "./queries.ts";

export interface NewDelivery {
  readonly deliveryId: string;
  readonly type: DeliveryRow["type"];
  readonly body: string;
  /** The trace that caused it; undefined: none. */
  readonly trace: TraceContext | undefined;
}

/** A delivery of an event. */
export interface EventDelivery extends NewDelivery {
  readonly position: bigint;
}

const role = "webhooks";
export type DeliveryLeader = Pick<Leadership, "epoch">;

/**
 * Runs the common table expressions `parts`. They read `leader`, which is empty once there is another leader, and must
 * then write nothing. The commits of `db` need not wait for the disk: what a crash of the machine loses is done again,
 * with the same ids. Returns the value of `result`, an expression over them.
 * @throws {Fenced} when there is another leader
 */
async function asLeader<Result>(
  db: Knex,
  { epoch }: DeliveryLeader,
  parts: string,
  values: Readonly<Record<string, Knex.RawBinding>>,
  result = "null",
): Promise<Result> {
  const { rows } = await db.raw<{ rows: { leads: boolean; result: Result }[] }>(
    `with leader as (${leaderRow}), ${parts} select exists (select from leader) as leads, ${result} as result`,
    { ...values, role, epoch: String(epoch) },
  );
  const [row] = rows;
  if (row?.leads !== true) throw new Fenced(`The role ${role} has another leader.`);
  return row.result;
}

const insertDeliveries = (position: string): string => `
  insert into work.webhook_deliveries
    (delivery_id, webhook_id, type, body, created_at, due_at, requested_at, trace, position)
  select "deliveryId", :webhookId, type, body, :now, :now, :requestedAt::timestamptz, trace, ${position}
  from jsonb_to_recordset(:deliveries) as new ("deliveryId" uuid, type text, body text, trace text, position bigint)`;
const enabledPosition = (schema: string): string =>
  `(select enabled_position from ${schema}.webhooks where webhook_id = :webhookId)`;

/**
 * Makes deliveries of notifications up to a position. Returns the ids of those that did not exist: others have been made
 * before, and may have been sent.
 */
export async function storeDeliveries(
  db: Knex,
  webhookId: string,
  deliveries: readonly EventDelivery[],
  position: bigint,
  now: Date,
  leader: DeliveryLeader,
): Promise<readonly string[]> {
  const rows = deliveries.map((delivery) => ({ ...delivery, position: String(delivery.position) }));
  return asLeader<readonly string[]>(
    db,
    leader,
    `made as (
       ${insertDeliveries("new.position")}
       cross join leader
       on conflict (delivery_id) do nothing
       returning delivery_id
     ),
     progress as (
       insert into work.webhook_progress (webhook_id, position)
       select :webhookId, :position from leader
       on conflict (webhook_id) do update set position = excluded.position
     )`,
    { webhookId, deliveries: JSON.stringify(rows), position: String(position), now, requestedAt: null },
    "array(select delivery_id::text from made)",
  );
}

/** The state of a delivery after one more request. */
export interface RecordedAttempt extends AttemptResult {
  readonly deliveryId: string;
  /** The body that was sent; null: the stored one. */
  readonly body: string | null;
  /** When a caller had last requested it, as of the beginning of the request. */
  readonly requestedAt: Date | null;
  readonly status: DeliveryRow["status"];
  /** Null unless it has failed. */
  readonly failing: Failing | null;
  /** Null unless it waits. */
  readonly dueAt: Date | null;
}

/** Unless a caller has requested the delivery since the request began: then it is sent again. */
const setUnlessRequested = (column: string, value: string): string =>
  `${column} = case when delivery.requested_at is not distinct from attempt."requestedAt"
    then ${value} else delivery.${column} end`;

/** Stores the results of concurrent requests, and the health of their webhook. */
export async function storeAttempts(
  db: Knex,
  { webhookId, settingsPosition }: Pick<DueWebhook, "webhookId" | "settingsPosition">,
  attempts: readonly RecordedAttempt[],
  { failing, pausedUntil }: WebhookHealth,
  now: Date,
  leader: DeliveryLeader,
): Promise<void> {
  const rows = attempts.map(({ failing: since, ...attempt }) => ({
    ...attempt,
    failures: since?.failures ?? 0,
    failingSince: since?.since ?? null,
  }));
  await asLeader(
    db,
    leader,
    `health as (
       insert into work.webhook_progress as progress
         (webhook_id, settings_position, failures, failing_since, paused_until)
       select :webhookId, :settingsPosition, :failures, :failingSince, :pausedUntil from leader
       on conflict (webhook_id) do update
       set settings_position = excluded.settings_position,
           failures = excluded.failures,
           failing_since = excluded.failing_since,
           paused_until = excluded.paused_until
     ),
     attempted as (
       update work.webhook_deliveries as delivery
       set
         attempts = attempts + 1,
         attempted_at = :now,
         body = coalesce(attempt.body, delivery.body),
         ${setUnlessRequested("status", "attempt.status")},
         ${setUnlessRequested("failures", "attempt.failures")},
         ${setUnlessRequested("failing_since", 'attempt."failingSince"')},
         ${setUnlessRequested("due_at", 'coalesce(attempt."dueAt", delivery.due_at)')},
         ${setUnlessRequested("requested_at", "null")},
         response_status = attempt."responseStatus",
         failure = attempt.failure
       from jsonb_to_recordset(:attempts) as attempt
         ("deliveryId" uuid, body text, "requestedAt" timestamptz, status text, failures integer, "failingSince" timestamptz,
          "dueAt" timestamptz, "responseStatus" integer, failure text)
       cross join leader
       where delivery.delivery_id = attempt."deliveryId"
     )`,
    {
      ...{ webhookId, settingsPosition: String(settingsPosition), pausedUntil },
      ...{ failures: failing?.failures ?? 0, failingSince: failing?.since ?? null },
      ...{ attempts: JSON.stringify(rows), now },
    },
  );
}

/** Adds a delivery that no event has caused, and sends it even if the webhook is paused. */
export async function addDelivery(
  { db, schema }: ReadModel,
  webhookId: string,
  delivery: NewDelivery,
  now: Date,
): Promise<DeliveryRow | null> {
  await db.raw(`${insertDeliveries(enabledPosition(schema))} on conflict (delivery_id) do nothing`, {
    ...{ webhookId, deliveries: JSON.stringify([delivery]), now, requestedAt: now },
  });
  const { rows } = await db.raw<{ rows: DeliveryRow[] }>(
    `select ${deliveryColumns}
     from work.webhook_deliveries
     where webhook_id = :webhookId and delivery_id = :deliveryId`,
    { webhookId, deliveryId: delivery.deliveryId },
  );
  return rows[0] ?? null;
}

/** Sends a delivery whatever its status, and even if the webhook is paused; null when there is no such delivery. */
export async function retryDelivery(
  { db, schema }: ReadModel,
  webhookId: string,
  deliveryId: string,
  now: Date,
): Promise<DeliveryRow | null> {
  const { rows } = await db.raw<{ rows: DeliveryRow[] }>(
    `update work.webhook_deliveries
     set status = 'waiting', failures = 0, failing_since = null, due_at = :now, requested_at = :now,
       position = ${enabledPosition(schema)}
     where delivery_id = :deliveryId and webhook_id = :webhookId
     returning ${deliveryColumns}`,
    { deliveryId, webhookId, now },
  );
  return rows[0] ?? null;
}
