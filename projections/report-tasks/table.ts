import type { Knex } from "knex";
import type { SchemaName } from "../projection.ts";

/** One row a report task, ever. `position` is that of its request: the position that the report is computed at. */
export async function createReportTasksTable(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.report_tasks (
      task_id uuid primary key,
      app_id integer not null,
      position bigint not null,
      stage text not null,
      report text not null,
      query jsonb not null,
      only_channels text[],
      requested_at timestamptz not null,
      -- What is 'now' for the report.
      now timestamptz not null,
      ended_at timestamptz,
      row_count integer,
      rows_hash text,
      notifications jsonb,
      failure text
    );
    -- The report runner's to-do list.
    create index on ${schema}.report_tasks (position) where stage in ('requested', 'started');
  `);
}
