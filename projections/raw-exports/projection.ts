import type { Knex } from "knex";
import { eventsOfType, type RecordedOfType } from "../../domain/event-catalogue.ts";
import { keepCounts } from "../list-counts.ts";
import { defineProjection, type SchemaName } from "../projection.ts";
import { insertMissingRows, updateRows } from "../write-rows.ts";

/** Raw exports: their queries, and size and hash of their files. Open ones are the exporter's to-do list. */
export const rawExportsProjection = defineProjection({
  name: "raw_exports",
  version: 4,
  group: "control",
  handles: ["ExportRequested", "ExportCompleted", "ExportFailed"],
  parkBy: "stream",
  tables: { raw_exports: ["report_id"], raw_exports_counts: ["app_id", "stage"] },
  createTables: createRawExportsTable,
  async apply(trx, schema, batch) {
    const requested = eventsOfType(batch, "ExportRequested").map(({ data, position }) => ({
      report_id: data.reportId,
      app_id: data.appId,
      position: String(position.commit),
      stage: "requested",
      query: data.query,
      requested_at: data.requestedAt,
    }));
    await insertMissingRows(trx, schema, "raw_exports", ["report_id"], requested);
    // An export ends after its request, and once.
    const ended = eventsOfType(batch, "ExportCompleted", "ExportFailed").map(endedRow);
    await updateRows(trx, schema, "raw_exports", { key: ["report_id"], columns: endColumns }, ended);
  },
});

const endColumns = ["stage", "row_count", "bytes", "sha256", "resume_points", "failure"];

function endedRow({ type, data }: RecordedOfType<"ExportCompleted" | "ExportFailed">) {
  if (type === "ExportFailed") return { report_id: data.reportId, stage: "failed", failure: data.reason };
  const { reportId, rows, bytes, sha256, resumePoints } = data;
  return { report_id: reportId, stage: "completed", row_count: rows, bytes, sha256, resume_points: resumePoints };
}

/** One row per export. `position` is that of its request, at which its rows are read. */
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
    -- The list of exports, and of those of a status.
    create index on ${schema}.raw_exports (app_id, position);
    create index on ${schema}.raw_exports (app_id, stage, position);
    -- The exporter's to-do list.
    create index on ${schema}.raw_exports (position) where stage = 'requested';
  `);
  await keepCounts(trx, schema, "raw_exports", { columns: { app_id: "app_id", stage: "stage" } });
}
