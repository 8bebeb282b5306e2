import type { Knex } from "knex";
import { assertNever } from "../../domain/decider.ts";
import { eventsOfType, type RecordedOfType } from "../../domain/event-catalogue.ts";
import { keepCounts } from "../list-counts.ts";
import { defineProjection, type SchemaName } from "../projection.ts";
import { insertMissingRows, updateRows } from "../write-rows.ts";

const ends = ["ReportSucceeded", "ReportFailed", "ReportCanceled"] as const;
type EndEvent = RecordedOfType<(typeof ends)[number]>;

/** Report tasks: query, stage and outcome. Open ones are the report runner's to-do list. */
export const reportTasksProjection = defineProjection({
  name: "report_tasks",
  version: 8,
  group: "control",
  handles: ["ReportRequested", "ReportStarted", ...ends],
  parkBy: "stream",
  tables: { report_tasks: ["task_id"], report_tasks_counts: ["app_id", "report", "stage"] },
  createTables: createReportTasksTable,
  async apply(trx, schema, batch) {
    // Within a stream the order is that of the stages, so that each stage can be applied to the whole batch at once.
    const requested = eventsOfType(batch, "ReportRequested").map(requestedRow);
    await insertMissingRows(trx, schema, "report_tasks", ["task_id"], requested);
    await markStarted(trx, schema, eventsOfType(batch, "ReportStarted"));
    const ended = eventsOfType(batch, ...ends).map(endedRow);
    await updateRows(trx, schema, "report_tasks", { key: ["task_id"], columns: endColumns }, ended);
  },
});

function requestedRow({ data, metadata: { actor }, position }: RecordedOfType<"ReportRequested">) {
  return {
    task_id: data.taskId,
    app_id: data.appId,
    position: String(position.commit),
    requested_by: actor.kind === "token" ? actor.tokenId : null,
    stage: "requested",
    report: data.report,
    query: data.query,
    only_channels: data.onlyChannels,
    requested_at: data.requestedAt,
    now: data.now ?? data.requestedAt,
  };
}

async function markStarted(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedOfType<"ReportStarted">[],
): Promise<void> {
  if (events.length === 0) return;
  await trx.raw(
    `update ${schema}.report_tasks
     set stage = 'started'
     where task_id = any(:tasks::uuid[])
       and stage = 'requested'`,
    { tasks: events.map(({ data }) => data.taskId) },
  );
}

const endColumns = ["stage", "ended_at", "ended_position", "row_count", "rows_hash", "notifications", "failure"];

function endedRow({ type, data, position }: EndEvent) {
  const row = { task_id: data.taskId, ended_at: data.endedAt, ended_position: String(position.commit) };
  switch (type) {
    case "ReportSucceeded": {
      const { rowCount, rowsHash, notifications } = data;
      return { ...row, stage: "succeeded", row_count: rowCount, rows_hash: rowsHash, notifications };
    }
    case "ReportFailed":
      return { ...row, stage: "failed", failure: data.reason };
    case "ReportCanceled":
      return { ...row, stage: "canceled" };
  }
  return assertNever(type);
}

/** One row per report task. `position` is that of its request, at which the report is computed. */
async function createReportTasksTable(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.report_tasks (
      task_id uuid primary key,
      app_id integer not null,
      position bigint not null,
      -- A token; null for the operator.
      requested_by text,
      stage text not null,
      report text not null,
      query jsonb not null,
      only_channels text[],
      requested_at timestamptz not null,
      -- The report's 'now'.
      now timestamptz not null,
      ended_at timestamptz,
      ended_position bigint,
      row_count integer,
      rows_hash text,
      notifications jsonb,
      failure text
    );
    -- The list of tasks, and of those of a status.
    create index on ${schema}.report_tasks (app_id, position) include (report);
    create index on ${schema}.report_tasks (app_id, stage, position) include (report);
    -- The report runner's to-do list.
    create index on ${schema}.report_tasks (position) where stage in ('requested', 'started');
    -- Tasks that were open at a position.
    create index on ${schema}.report_tasks (ended_position) where ended_position is not null;
  `);
  await keepCounts(trx, schema, "report_tasks", { columns: { app_id: "app_id", report: "report", stage: "stage" } });
}
