import type { Knex } from "knex";
import { eventsOfType, type RecordedOfType } from "../../domain/event-catalogue.ts";
import { defineProjection, type SchemaName } from "../projection.ts";
import { createRawExportsTable } from "./table.ts";

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
    // An export ends behind its request, and once.
    await insertRequested(trx, schema, eventsOfType(batch, "ExportRequested"));
    await markCompleted(trx, schema, eventsOfType(batch, "ExportCompleted"));
    await markFailed(trx, schema, eventsOfType(batch, "ExportFailed"));
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

async function markCompleted(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedOfType<"ExportCompleted">[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data }) => ({
    report_id: data.reportId,
    row_count: data.rows,
    bytes: data.bytes,
    sha256: data.sha256,
    resume_points: data.resumePoints,
  }));
  await trx.raw(
    `update ${schema}.raw_exports as export
     set stage = 'completed', row_count = ended.row_count, bytes = ended.bytes, sha256 = ended.sha256,
       resume_points = ended.resume_points
     from jsonb_to_recordset(:rows) as ended
       (report_id bigint, row_count bigint, bytes bigint, sha256 text, resume_points jsonb)
     where export.report_id = ended.report_id`,
    { rows: JSON.stringify(rows) },
  );
}

async function markFailed(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedOfType<"ExportFailed">[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data }) => ({ report_id: data.reportId, failure: data.reason }));
  await trx.raw(
    `update ${schema}.raw_exports as export
     set stage = 'failed', failure = ended.failure
     from jsonb_to_recordset(:rows) as ended (report_id bigint, failure text)
     where export.report_id = ended.report_id`,
    { rows: JSON.stringify(rows) },
  );
}
