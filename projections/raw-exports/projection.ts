import type { Knex } from "knex";
import { eventsOfType, type RecordedOfType } from "../../domain/event-catalogue.ts";
import { defineProjection, type SchemaName } from "../projection.ts";

/** Raw exports: their queries, and what their files hold. Open ones are the exporter's to-do list. */
export const rawExportsProjection = defineProjection({
  name: "raw_exports",
  version: 1,
  group: "control",
  handles: ["ExportRequested", "ExportCompleted", "ExportFailed"],
  parkBy: "stream",
  tables: { raw_exports: ["report_id"] },
  createTables: createRawExportsTable,
  async apply(trx, schema, batch) {
    // An export ends after its request, and once.
    await insertRequested(trx, schema, eventsOfType(batch, "ExportRequested"));
    await markEnded(trx, schema, eventsOfType(batch, "ExportCompleted", "ExportFailed"));
  },
});

async function insertRequested(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedOfType<"ExportRequested">[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data, position }) => ({
    report_id: data.reportId,
    app_id: data.appId,
    position: String(position.commit),
    query: data.query,
    requested_at: data.requestedAt,
  }));
  await trx.raw(
    `insert into ${schema}.raw_exports (report_id, app_id, position, stage, query, requested_at)
     select report_id, app_id, position, 'requested', query, requested_at
     from jsonb_to_recordset(:rows) as requested
       (report_id bigint, app_id integer, position bigint, query jsonb, requested_at timestamptz)
     on conflict (report_id) do nothing`,
    { rows: JSON.stringify(rows) },
  );
}

async function markEnded(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedOfType<"ExportCompleted" | "ExportFailed">[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ type, data }) => {
    if (type === "ExportFailed") return { report_id: data.reportId, stage: "failed", failure: data.reason };
    const { reportId, rows, bytes, sha256, resumePoints } = data;
    return { report_id: reportId, stage: "completed", row_count: rows, bytes, sha256, resume_points: resumePoints };
  });
  await trx.raw(
    `update ${schema}.raw_exports as export
     set
       stage = ended.stage,
       row_count = ended.row_count,
       bytes = ended.bytes,
       sha256 = ended.sha256,
       resume_points = ended.resume_points,
       failure = ended.failure
     from jsonb_to_recordset(:rows) as ended
       (report_id bigint, stage text, row_count bigint, bytes bigint, sha256 text, resume_points jsonb, failure text)
     where export.report_id = ended.report_id`,
    { rows: JSON.stringify(rows) },
  );
}

/** One row an export, ever. `position` is that of its request: the position that its rows are read at. */
async function createRawExportsTable(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.raw_exports (
      report_id bigint primary key,
      app_id integer not null,
      position bigint not null,
      stage text not null,
      query jsonb not null,
      requested_at timestamptz not null,
      row_count bigint,
      bytes bigint,
      sha256 text,
      resume_points jsonb,
      failure text
    );
    -- The exporter's to-do list.
    create index on ${schema}.raw_exports (position) where stage = 'requested';
  `);
}
