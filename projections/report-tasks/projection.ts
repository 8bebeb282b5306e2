import type { Knex } from "knex";
import { eventsOfType, type RecordedOfType } from "../../domain/event-catalogue.ts";
import { defineProjection, type SchemaName } from "../projection.ts";
import { createReportTasksTable } from "./table.ts";

/** Report tasks: query, stage and outcome. Open ones are the report runner's to-do list. */
export const reportTasksProjection = defineProjection({
  name: "report_tasks",
  version: 3,
  group: "control",
  handles: ["ReportRequested", "ReportStarted", "ReportSucceeded", "ReportFailed", "ReportCanceled"],
  parkBy: "stream",
  tables: { report_tasks: ["task_id"] },
  createTables: createReportTasksTable,
  async apply(trx, schema, batch) {
    // Within a stream the order is that of the stages, so that each stage can be applied to the whole batch at once.
    await insertRequested(trx, schema, eventsOfType(batch, "ReportRequested"));
    await markStarted(trx, schema, eventsOfType(batch, "ReportStarted"));
    await markSucceeded(trx, schema, eventsOfType(batch, "ReportSucceeded"));
    await markFailed(trx, schema, eventsOfType(batch, "ReportFailed"));
    await markCanceled(trx, schema, eventsOfType(batch, "ReportCanceled"));
  },
});

async function insertRequested(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedOfType<"ReportRequested">[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data, position }) => ({
    task_id: data.taskId,
    app_id: data.appId,
    position: String(position.commit),
    report: data.report,
    query: data.query,
    only_channels: data.onlyChannels,
    requested_at: data.requestedAt,
    now: data.now ?? data.requestedAt,
  }));
  await trx.raw(
    `insert into ${schema}.report_tasks 
       (task_id, app_id, position, stage, report, query, only_channels, requested_at, now)
     select task_id, app_id, position, 'requested', report, query, only_channels, requested_at, now
     from jsonb_to_recordset(:rows) as requested
       (task_id uuid, app_id integer, position bigint, report text, query jsonb, only_channels text[],
        requested_at timestamptz, now timestamptz)
     on conflict (task_id) do nothing`,
    { rows: JSON.stringify(rows) },
  );
}

async function markStarted(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedOfType<"ReportStarted">[],
): Promise<void> {
  if (events.length === 0) return;
  await trx.raw(
    `update ${schema}.report_tasks set stage = 'started' where task_id = any(:tasks::uuid[]) and stage = 'requested'`,
    { tasks: events.map(({ data }) => data.taskId) },
  );
}

async function markSucceeded(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedOfType<"ReportSucceeded">[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data }) => ({
    task_id: data.taskId,
    ended_at: data.endedAt,
    row_count: data.rowCount,
    rows_hash: data.rowsHash,
    notifications: data.notifications,
  }));
  await trx.raw(
    `update ${schema}.report_tasks task
     set stage = 'succeeded', ended_at = ended.ended_at, row_count = ended.row_count, rows_hash = ended.rows_hash,
       notifications = ended.notifications
     from jsonb_to_recordset(:rows) as ended
       (task_id uuid, ended_at timestamptz, row_count integer, rows_hash text, notifications jsonb)
     where task.task_id = ended.task_id`,
    { rows: JSON.stringify(rows) },
  );
}

async function markFailed(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedOfType<"ReportFailed">[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data }) => ({ task_id: data.taskId, ended_at: data.endedAt, failure: data.reason }));
  await trx.raw(
    `update ${schema}.report_tasks task
     set stage = 'failed', ended_at = ended.ended_at, failure = ended.failure
     from jsonb_to_recordset(:rows) as ended (task_id uuid, ended_at timestamptz, failure text)
     where task.task_id = ended.task_id`,
    { rows: JSON.stringify(rows) },
  );
}

async function markCanceled(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedOfType<"ReportCanceled">[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data }) => ({ task_id: data.taskId, ended_at: data.endedAt }));
  await trx.raw(
    `update ${schema}.report_tasks task
     set stage = 'canceled', ended_at = ended.ended_at
     from jsonb_to_recordset(:rows) as ended (task_id uuid, ended_at timestamptz)
     where task.task_id = ended.task_id`,
    { rows: JSON.stringify(rows) },
  );
}
