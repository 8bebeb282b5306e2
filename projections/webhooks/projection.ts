import type { Knex } from "knex";
import { assertNever } from "../../domain/decider.ts";
import { eventsOfType, type RecordedEvent, type RecordedOfType } from "../../domain/event-catalogue.ts";
import type { NotificationType, WebhookEvent } from "../../domain/webhooks/events.ts";
import { attributions, taskEnds, taskStarts } from "../../domain/webhooks/notified-events.ts";
import { defineProjection, type SchemaName } from "../projection.ts";
import { insertMissingRows } from "../write-rows.ts";
import {
  attributionNotification,
  type EndEvent,
  type Notification,
  storeNotifications,
  type TaskType,
  taskEnd,
  taskNotification,
  taskStart,
} from "./notifications.ts";

const settings = [
  "WebhookCreated",
  "WebhookChanged",
  "WebhookSecretRotated",
  "WebhookEnabled",
  "WebhookDisabled",
  "WebhookDeleted",
] as const satisfies readonly WebhookEvent["type"][];
const handled = [...settings, ...taskStarts, ...attributions, ...taskEnds] as const;

type Handled = RecordedOfType<(typeof handled)[number]>;

/**
 * Webhooks and their notifications: the events of an app that had an enabled webhook of that type when they were
 * recorded. Deliveries are stored by `delivery-store.ts`, so that no replay sends anything.
 */
export const webhooksProjection = defineProjection({
  name: "webhooks",
  version: 6,
  group: "control",
  handles: handled,
  canWait: attributions,
  parkBy: "stream",
  tables: {
    webhooks: ["webhook_id"],
    webhook_types: ["webhook_id", "type"],
    open_tasks: ["type", "task_id"],
    notifications: ["app_id", "type", "position"],
  },
  createTables: createWebhookTables,
  async apply(trx, schema, batch) {
    // Whom an event is for follows from the settings before it.
    for (const run of runsOf(batch)) {
      for (const event of eventsOfType(run, ...settings)) await changeWebhook(trx, schema, event);
      // The ends of uploads, reports and exports do not name the app.
      const started = eventsOfType(run, ...taskStarts).map(taskStart);
      await insertMissingRows(trx, schema, "open_tasks", ["type", "task_id"], started);
      const ended = await closeTasks(trx, schema, eventsOfType(run, ...taskEnds));
      await storeNotifications(trx, schema, [
        ...eventsOfType(run, ...attributions).map(attributionNotification),
        ...ended,
      ]);
    }
  },
});

/** Splits the batch into pieces of only settings or only other events. */
function runsOf(batch: readonly Handled[]): readonly (readonly Handled[])[] {
  const isSetting = ({ type }: Handled): boolean => (settings as readonly string[]).includes(type);
  const runs: Handled[][] = [];
  for (const event of batch) {
    const [last] = runs.at(-1) ?? [];
    if (last !== undefined && isSetting(last) === isSetting(event)) runs.at(-1)?.push(event);
    else runs.push([event]);
  }
  return runs;
}

/** Assignments that keep the later settings when a batch is applied again. */
const laterSettings = `
  settings_at = case when settings_position < :position then :at else settings_at end,
  settings_position = greatest(settings_position, :position)`;

async function changeWebhook(
  trx: Knex.Transaction,
  schema: SchemaName,
  event: RecordedEvent<WebhookEvent>,
): Promise<void> {
  const position = String(event.position.commit);
  const { webhookId } = event.data;
  const addTypes = (types: readonly NotificationType[]): Promise<void> => {
    const rows = types.map((type) => ({ webhook_id: webhookId, type, since_position: position }));
    return insertMissingRows(trx, schema, "webhook_types", ["webhook_id", "type"], rows);
  };
  const set = (assignments: string, values: object, table = "webhooks"): Promise<unknown> =>
    trx.raw(`update ${schema}.${table} set ${assignments} where webhook_id = :webhookId`, { webhookId, ...values });
  switch (event.type) {
    case "WebhookCreated": {
      const { appId, url, types, description, secretId, secretHash, at } = event.data;
      const row = { webhook_id: webhookId, app_id: appId, url, types, description };
      const secret = { secret_id: secretId, secret_hash: secretHash };
      const places = { created_at: at, settings_position: position, settings_at: at, enabled_position: position };
      await insertMissingRows(trx, schema, "webhooks", ["webhook_id"], [{ ...row, ...secret, ...places }]);
      await addTypes(types);
      return;
    }
    case "WebhookChanged": {
      const { url, types, description, at } = event.data;
      await set(`url = :url, types = :types::text[], description = :description, ${laterSettings}`, {
        ...{ url, types: [...types], description, position, at },
      });
      await trx.raw(
        `delete from ${schema}.webhook_types where webhook_id = :webhookId and type <> all(:types::text[])`,
        { webhookId, types: [...types] },
      );
      await addTypes(types);
      return;
    }
    case "WebhookSecretRotated": {
      const { secretId, secretHash, previousUntil } = event.data;
      await set(
        `previous_secret_id = case secret_id when :secretId then previous_secret_id else secret_id end,
         previous_secret_hash = case secret_id when :secretId then previous_secret_hash else secret_hash end,
         previous_until = :previousUntil, secret_id = :secretId, secret_hash = :secretHash`,
        { secretId, secretHash, previousUntil },
      );
      return;
    }
    case "WebhookEnabled":
      await set(`disabled_reason = null, failing_since = null, ${laterSettings}`, { position, at: event.data.at });
      await set("enabled_position = greatest(enabled_position, :position)", { position });
      await set("since_position = greatest(since_position, :position)", { position }, "webhook_types");
      return;
    case "WebhookDisabled": {
      const { reason, failingSince } = event.data;
      await set("disabled_reason = :reason, failing_since = :failingSince", { reason, failingSince });
      return;
    }
    case "WebhookDeleted":
      await trx.raw(`delete from ${schema}.webhooks where webhook_id = :webhookId`, { webhookId });
      await trx.raw(`delete from ${schema}.webhook_types where webhook_id = :webhookId`, { webhookId });
      return;
    default:
      assertNever(event);
  }
}

/** Removes tasks that have ended, and returns their notifications. */
async function closeTasks(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly EndEvent[],
): Promise<readonly Notification[]> {
  if (events.length === 0) return [];
  const ended = new Map(events.map((event) => [taskKey(taskEnd(event)), event]));
  const { rows } = await trx.raw<{ rows: { type: TaskType; task_id: string; app_id: number; data: string }[] }>(
    `delete from ${schema}.open_tasks as task
     using jsonb_to_recordset(:ended) as ended (type text, task_id text)
     where task.type = ended.type and task.task_id = ended.task_id
     returning task.type, task.task_id, task.app_id, task.data`,
    { ended: JSON.stringify(events.map(taskEnd)) },
  );
  return rows.flatMap((row) => {
    const event = ended.get(taskKey(row));
    return event === undefined ? [] : [taskNotification(row, event)];
  });
}

function taskKey({ type, task_id }: { readonly type: TaskType; readonly task_id: string }): string {
  return `${type} ${task_id}`;
}

/** `data` is text: it may contain characters that jsonb refuses. */
async function createWebhookTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.webhooks (
      webhook_id uuid primary key,
      app_id integer not null,
      url text not null,
      types text[] not null,
      description text,
      secret_id uuid not null,
      secret_hash text not null,
      previous_secret_id uuid,
      previous_secret_hash text,
      previous_until timestamptz,
      created_at timestamptz not null,
      -- Null: it is enabled.
      disabled_reason text,
      failing_since timestamptz,
      -- Of the creation, or the last change or enabling.
      settings_position bigint not null,
      settings_at timestamptz not null,
      -- Of the creation or the last enabling.
      enabled_position bigint not null
    );
    create index on ${schema}.webhooks (app_id);

    -- When the type was added or the webhook was last enabled: earlier events are not sent.
    create table ${schema}.webhook_types (
      webhook_id uuid not null,
      type text not null,
      since_position bigint not null,
      primary key (webhook_id, type)
    );

    create table ${schema}.open_tasks (
      type text not null,
      task_id text not null,
      app_id integer not null,
      data text not null,
      primary key (type, task_id)
    );

    create table ${schema}.notifications (
      app_id integer not null,
      type text not null,
      position bigint not null,
      event_id uuid not null,
      at timestamptz not null,
      data text not null,
      trace text,
      primary key (app_id, type, position)
    );
    create index on ${schema}.notifications (at);
  `);
}
