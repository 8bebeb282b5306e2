import type { Knex } from "knex";
import { assertNever } from "../../domain/decider.ts";
import type { RecordedOfType } from "../../domain/event-catalogue.ts";
import { storedTrace } from "../../domain/values/trace-context.ts";
import type { NotificationType } from "../../domain/webhooks/events.ts";
import { retentionDays } from "../../domain/webhooks/limits.ts";
import type { attributions, taskEnds, taskStarts } from "../../domain/webhooks/notified-events.ts";
import type { SchemaName } from "../projection.ts";
import { insertMissingRows } from "../write-rows.ts";

export type StartEvent = RecordedOfType<(typeof taskStarts)[number]>;
export type EndEvent = RecordedOfType<(typeof taskEnds)[number]>;
type AttributionEvent = RecordedOfType<(typeof attributions)[number]>;
export type TaskType = Extract<NotificationType, `${string}.finished`>;

/** An upload, a report or an export that has not ended. */
export type OpenTask = {
  readonly type: TaskType;
  readonly task_id: string;
  readonly app_id: number;
  /** JSON. */
  readonly data: string;
};

/** The row of a task that has started. */
export function taskStart({ type, data }: StartEvent): OpenTask {
  const row = (taskType: TaskType, id: string | number, started: object): OpenTask => ({
    ...{ type: taskType, task_id: String(id), app_id: data.appId, data: JSON.stringify(started) },
  });
  switch (type) {
    case "UploadReceived":
      return row("upload.finished", data.requestId, {
        ...{ requestId: data.requestId, kind: data.kind, fileName: data.fileName, createdAt: data.receivedAt },
      });
    case "ReportRequested":
      return row("report.finished", data.taskId, {
        ...{ taskId: data.taskId, report: data.report, createdAt: data.requestedAt },
      });
    case "ExportRequested":
      return row("export.finished", data.reportId, {
        ...{ reportID: data.reportId, type: data.query.type, createdAt: data.requestedAt },
      });
  }
  return assertNever(type);
}

/** An event that webhooks are notified of. */
export type Notification = {
  readonly app_id: number;
  readonly type: NotificationType;
  readonly position: string;
  readonly event_id: string;
  readonly at: string;
  /** JSON: `data` of the body, with what masking withholds. */
  readonly data: string;
  /** The trace context of the event, JSON. */
  readonly trace: string | null;
};

const placeOf = ({ id, position, recordedAt, metadata }: AttributionEvent | EndEvent) => ({
  ...{ position: String(position.commit), event_id: id, at: recordedAt.toISOString(), trace: storedTrace(metadata) },
});

/** The notification of a decision or a revision. */
export function attributionNotification(event: AttributionEvent): Notification {
  const { appId, eventId, category, at, deviceKey, winner } = event.data;
  const decided = { eventId, category, at, deviceKey, winner };
  const revised = event.type === "AttributionRevised" ? { formerWinner: event.data.formerWinner } : {};
  const type = event.type === "AttributionRevised" ? "attribution.revised" : "attribution.decided";
  return { app_id: appId, type, ...placeOf(event), data: JSON.stringify({ ...decided, ...revised }) };
}

/** The notification of the end of a task. */
export function taskNotification({ type, app_id, data }: OpenTask, event: EndEvent): Notification {
  const whole = { ...(JSON.parse(data) as object), ...taskEnd(event).outcome };
  return { app_id, type, ...placeOf(event), data: JSON.stringify(whole) };
}

/** The task that has ended, and its outcome. */
export function taskEnd(event: EndEvent) {
  const end = (type: TaskType, id: string | number, outcome: object) => ({ type, task_id: String(id), outcome });
  switch (event.type) {
    case "UploadSucceeded":
      return end("upload.finished", event.data.requestId, { status: "succeeded", endedAt: event.data.succeededAt });
    case "UploadRejected": {
      const { requestId, faults, rejectedAt } = event.data;
      return end("upload.finished", requestId, { status: "failed", faults: faults.length, endedAt: rejectedAt });
    }
    case "UploadFailed": {
      const { requestId, faults, failedAt } = event.data;
      return end("upload.finished", requestId, { status: "failed", faults: faults.length, endedAt: failedAt });
    }
    case "ReportSucceeded": {
      const { taskId, rowCount, endedAt } = event.data;
      return end("report.finished", taskId, { status: "SUCCESS", rowCount, endedAt });
    }
    case "ReportFailed": {
      const { taskId, reason, endedAt } = event.data;
      return end("report.finished", taskId, { status: "FAILURE", reason, endedAt });
    }
    case "ReportCanceled":
      return end("report.finished", event.data.taskId, { status: "CANCELED", endedAt: event.data.endedAt });
    case "ExportCompleted": {
      const { reportId, rows, bytes, sha256, endedAt } = event.data;
      return end("export.finished", reportId, { status: "completed", rows, bytes, sha256, endedAt });
    }
    case "ExportFailed": {
      const { reportId, reason, endedAt } = event.data;
      return end("export.finished", reportId, { status: "failed", reason, endedAt });
    }
  }
  return assertNever(event);
}

/** Stores the notifications that an enabled webhook of the app wants, and deletes old ones. */
export async function storeNotifications(
  trx: Knex.Transaction,
  schema: SchemaName,
  all: readonly Notification[],
): Promise<void> {
  if (all.length === 0) return;
  const { rows } = await trx.raw<{ rows: { app_id: number; types: string[]; settings_position: bigint }[] }>(
    `select app_id, types, settings_position
     from ${schema}.webhooks
     where app_id = any(:appIds::integer[]) and disabled_reason is null`,
    { appIds: [...new Set(all.map(({ app_id }) => app_id))] },
  );
  // Settings from after the event are there when a batch is applied again.
  const isWanted = ({ app_id, type, position }: Notification): boolean =>
    rows.some((row) => row.app_id === app_id && row.types.includes(type) && row.settings_position < BigInt(position));
  const notifications = all.filter(isWanted);
  if (notifications.length === 0) return;
  await insertMissingRows(trx, schema, "notifications", ["app_id", "type", "position"], notifications);
  await deleteOldNotifications(trx, schema, notifications);
}

/**
 * Deletes notifications that one behind them in the log was recorded a week after. So every replay has the same rows, and
 * one that was recorded under a fast clock deletes no later ones. Only what was just added can make others old.
 */
async function deleteOldNotifications(
  trx: Knex.Transaction,
  schema: SchemaName,
  added: readonly Notification[],
): Promise<void> {
  await trx.raw(
    `delete from ${schema}.notifications as old
     where at <= (select max(at) from unnest(:added::timestamptz[]) as at) - :age::interval
       and exists (
         select from ${schema}.notifications as later
         where later.position > old.position and later.at >= old.at + :age::interval
       )`,
    { added: added.map(({ at }) => at), age: `${retentionDays} days` },
  );
}
