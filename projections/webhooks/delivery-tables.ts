import type { Knex } from "knex";
import { retentionDays } from "../../domain/webhooks/limits.ts";
import { addMissingColumns } from "../add-missing-columns.ts";
import type { LogReader } from "../engine/runner/log-reader.ts";
import type { ReadModel } from "../projection.ts";

/** Once a webhook has more than twice as many finished deliveries, this many of them are kept, the newest. */
const keptFinished = 1_000;
/** The time of a finished delivery: of its last request or, if it was never sent, of its creation. */
const lastChange = "greatest(created_at, attempted_at)";
const deliveryStoreLock = 7_203_116;

/**
 * Creates the tables of deliveries if they are missing. Only they record what was sent: events from before the tables
 * were created, or of another log or a copy of one, count as sent.
 */
export async function createDeliveryStore(db: Knex, log: Pick<LogReader, "eventAt" | "headPosition">): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw("select pg_advisory_xact_lock(:lock)", { lock: deliveryStoreLock });
    await trx.raw(`
      create schema if not exists work;
      -- One row: events at or before the position are not sent.
      create table if not exists work.webhook_log (
        position bigint not null,
        prepare_position bigint not null,
        -- A different event at the position means another log.
        event_id uuid,
        is_only boolean primary key default true check (is_only)
      );
      create table if not exists work.webhook_progress (
        webhook_id uuid primary key,
        -- Position of the newest notification that has become a delivery.
        position bigint not null default 0,
        -- Position of the settings under which it fails: a change resets the failures.
        settings_position bigint not null default 0,
        failures integer not null default 0,
        failing_since timestamptz,
        paused_until timestamptz
      );
      create table if not exists work.webhook_deliveries (
        delivery_id uuid primary key,
        webhook_id uuid not null,
        type text not null,
        -- Not masked until the first request.
        body text not null,
        created_at timestamptz not null,
        status text not null default 'waiting',
        attempts integer not null default 0,
        -- Failures since the last success or manual retry, and the first of them.
        failures integer not null default 0,
        failing_since timestamptz,
        due_at timestamptz not null,
        attempted_at timestamptz,
        response_status integer,
        failure text,
        -- The trace context of what caused it, JSON.
        trace text,
        -- When a caller last requested it; null once a request that began after that has ended.
        requested_at timestamptz,
        -- Of its event, or of the last enabling of its webhook when a caller last requested it.
        position bigint
      );
    `);
    await addMissingColumns(trx, "work.webhook_deliveries", {
      trace: "text",
      requested_at: "timestamptz",
      position: "bigint",
    });
    await trx.raw(`
      create index if not exists webhook_deliveries_due on work.webhook_deliveries (webhook_id, due_at) where status = 'waiting';
      create index if not exists webhook_deliveries_requested
        on work.webhook_deliveries (webhook_id, requested_at) where status = 'waiting' and requested_at is not null;
      create index if not exists webhook_deliveries_newest
        on work.webhook_deliveries (webhook_id, created_at desc, delivery_id desc);
      drop index if exists work.webhook_deliveries_finished;
      create index if not exists webhook_deliveries_kept
        on work.webhook_deliveries (webhook_id, (${lastChange}) desc, delivery_id desc) where status <> 'waiting';
    `);
    const { rows: progress } = await trx.raw<{ rows: { webhook_id: string; position: bigint }[] }>(
      "select webhook_id, position from work.webhook_progress",
    );
    // Read after the progress, which another process advances meanwhile.
    const head = await log.headPosition();
    const { rows } = await trx.raw<{
      rows: { commit: bigint; prepare: bigint; event_id: string | null }[];
    }>("select position as commit, prepare_position as prepare, event_id from work.webhook_log");
    const [known] = rows;
    if (known !== undefined && ((await log.eventAt(known))?.id ?? null) === known.event_id) {
      // Beyond the head after the store was restored to an earlier moment. Existing deliveries are not made again.
      const beyond = progress.filter(({ position }) => position > (head?.commit ?? 0n));
      await trx.raw("update work.webhook_progress set position = :head where webhook_id = any(:webhookIds::uuid[])", {
        head: String(head?.commit ?? 0n),
        webhookIds: beyond.map(({ webhook_id }) => webhook_id),
      });
      return;
    }
    const last = head && (await log.eventAt(head));
    await trx.raw("truncate work.webhook_log, work.webhook_progress, work.webhook_deliveries");
    await trx.raw(
      "insert into work.webhook_log (position, prepare_position, event_id) values (:commit, :prepare, :eventId)",
      { commit: String(head?.commit ?? 0n), prepare: String(head?.prepare ?? 0n), eventId: last?.id ?? null },
    );
  });
}

/** Deliveries that finished long ago, those beyond the newest of their webhook, and those of deleted webhooks. */
const dropped = (schema: string): string => `
  (
    -- Of the row itself as well: a caller may retry it meanwhile.
    status <> 'waiting'
    and (
      ${lastChange} < :now::timestamptz - :retentionDays * interval '1 day'
      or delivery_id in (
        select finished.delivery_id
        from ${schema}.webhooks as webhook
        cross join lateral (
          select delivery_id
          from work.webhook_deliveries as delivery
          where delivery.webhook_id = webhook.webhook_id and status <> 'waiting'
          order by ${lastChange} desc, delivery_id desc
          offset :newest
        ) as finished
      )
    )
  )
  or ${withoutWebhook(schema)}`;
const withoutWebhook = (schema: string): string => `webhook_id not in (select webhook_id from ${schema}.webhooks)`;
/**
 * Waiting deliveries of webhooks that are disabled, or were so since the delivery's event. With `in` instead of `exists` all
 * webhooks are read for each delivery: 523 s instead of 1.3 with 150,000 deliveries and 10,000 webhooks.
 */
const ofDisabled = (schema: string): string => `
  status = 'waiting' and exists (
    select from ${schema}.webhooks as webhook
    where webhook.webhook_id = webhook_deliveries.webhook_id
      and (disabled_reason is not null or webhook_deliveries.position < enabled_position)
  )`;

/** Whether {@link endDeliveries} has work: only twice as many finished deliveries as are kept are worth a deletion. */
export async function hasDeliveriesToEnd({ db, schema }: ReadModel, now: Date): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { found: boolean }[] }>(
    `select exists (select from work.webhook_deliveries where ${dropped(schema)} or (${ofDisabled(schema)})) as found`,
    { now, retentionDays, newest: 2 * keptFinished },
  );
  return rows[0]?.found === true;
}

/** Drops the deliveries that are no longer kept, and fails those whose webhook was disabled while they waited. */
export async function endDeliveries({ db, schema }: ReadModel, now: Date): Promise<void> {
  await db.raw(`delete from work.webhook_deliveries where ${dropped(schema)}`, {
    now,
    retentionDays,
    newest: keptFinished,
  });
  await db.raw(`delete from work.webhook_progress where ${withoutWebhook(schema)}`);
  await db.raw(
    `update work.webhook_deliveries set status = 'failed', failure = 'webhook_disabled' where ${ofDisabled(schema)}`,
  );
}

/** What waits, and what fails. */
export interface WebhookBacklogs {
  /** Deliveries, and notifications that are to become deliveries, at most 10,000 of a type and webhook. */
  readonly waiting: number;
  /** Since when all requests to some enabled webhook have failed; null: to none. */
  readonly failingSince: Date | null;
}

export async function webhookBacklogs({ db, schema }: ReadModel): Promise<WebhookBacklogs> {
  const { rows } = await db.raw<{ rows: { waiting: bigint; failingSince: Date | null }[] }>(
    `select (select count(*) from work.webhook_deliveries where status = 'waiting') + coalesce(sum(next.count), 0)
         as waiting,
       min(progress.failing_since) filter (where progress.settings_position = webhook.settings_position) as "failingSince"
     from ${schema}.webhooks as webhook
     cross join work.webhook_log
     left join work.webhook_progress as progress using (webhook_id)
     cross join lateral (
       select coalesce(sum(of_type.count), 0) as count
       from ${schema}.webhook_types as wanted
       cross join lateral (
         select count(*) as count
         from (
           select
           from ${schema}.notifications as notification
           where notification.app_id = webhook.app_id
             and notification.type = wanted.type
             and notification.position > greatest(progress.position, wanted.since_position, webhook_log.position)
           limit 10000
         ) as counted
       ) as of_type
       where wanted.webhook_id = webhook.webhook_id
     ) as next
     where disabled_reason is null`,
  );
  const [found] = rows;
  return { waiting: Number(found?.waiting ?? 0), failingSince: found?.failingSince ?? null };
}
