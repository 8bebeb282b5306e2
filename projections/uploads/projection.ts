import type { Knex } from "knex";
import { assertNever } from "../../domain/decider.ts";
import { eventsOfType, type RecordedEvent } from "../../domain/event-catalogue.ts";
import type { Fault } from "../../domain/fault.ts";
import type { RowsStaged, UploadEvent, UploadReceived } from "../../domain/uploads/events.ts";
import type { UploadStatus } from "../../domain/uploads/upload-record.ts";
import { keepCounts } from "../list-counts.ts";
import { defineProjection, type SchemaName } from "../projection.ts";
import { insertMissingRows } from "../write-rows.ts";

type StatusEvent = Exclude<UploadEvent, RowsStaged | UploadReceived>;

/** The events that change the status of an upload, with the statuses that they change. */
const statusEvents: readonly (readonly [type: StatusEvent["type"], from: readonly UploadStatus[]])[] = [
  ["UploadValidated", ["uploaded"]],
  ["UploadRejected", ["uploaded"]],
  ["UploadIngested", ["validated"]],
  ["UploadSucceeded", ["ingested"]],
  ["UploadFailed", ["uploaded", "validated"]],
];

/** Every upload: its file, its status, and how it ended. Open uploads are the to-do list of the upload pipeline. */
export const uploadsProjection = defineProjection({
  name: "uploads",
  version: 5,
  group: "control",
  handles: ["UploadReceived", ...statusEvents.map(([type]) => type)],
  parkBy: "stream",
  tables: { uploads: ["request_id"], uploads_counts: ["app_id", "kind", "status", "span", "received_at"] },
  createTables: createUploadsTable,
  async apply(trx, schema, batch) {
    const received = eventsOfType(batch, "UploadReceived").map(receivedRow);
    await insertMissingRows(trx, schema, "uploads", ["request_id"], received);
    // The events of a stream are in this order, so that each type can be applied to the whole batch at once.
    for (const [changing, from] of statusEvents) {
      await changeUploads(trx, schema, from, eventsOfType(batch, changing).map(changeBy));
    }
  },
});

/** The new values of an upload's row; absent columns stay as they are. */
interface Change {
  readonly request_id: string;
  readonly status: UploadStatus;
  readonly at: string;
  readonly faults?: readonly Fault[];
  readonly row_count?: number;
  readonly ingested_position?: string;
}

function changeBy(event: RecordedEvent<StatusEvent>): Change {
  const request_id = event.data.requestId;
  switch (event.type) {
    case "UploadValidated":
      return { request_id, status: "validated", at: event.data.validatedAt, row_count: event.data.rows };
    case "UploadRejected":
      return { request_id, status: "failed", at: event.data.rejectedAt, faults: event.data.faults };
    case "UploadIngested": {
      const ingested_position = String(event.position.commit);
      return { request_id, status: "ingested", at: event.data.ingestedAt, ingested_position };
    }
    case "UploadSucceeded":
      return { request_id, status: "succeeded", at: event.data.succeededAt };
    case "UploadFailed":
      return { request_id, status: "failed", at: event.data.failedAt, faults: event.data.faults };
  }
  return assertNever(event);
}

function receivedRow({ data, position }: RecordedEvent<UploadReceived>) {
  return {
    request_id: data.requestId,
    app_id: data.appId,
    kind: data.kind,
    status: "uploaded",
    file_name: data.fileName,
    file_bytes: data.bytes,
    sha256: data.sha256,
    received_at: data.receivedAt,
    updated_at: data.receivedAt,
    position: String(position.commit),
  };
}

/** Changes the uploads that have one of the statuses `from`. To the others the change has been applied already. */
async function changeUploads(
  trx: Knex.Transaction,
  schema: SchemaName,
  from: readonly UploadStatus[],
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  await trx.raw(
    `update ${schema}.uploads as upload
     set
       status = changed.status,
       prev_status = upload.status,
       updated_at = changed.at,
       faults = changed.faults,
       row_count = coalesce(changed.row_count, upload.row_count),
       ingested_position = coalesce(changed.ingested_position, upload.ingested_position)
     from jsonb_to_recordset(:changes) as changed
       (request_id uuid, status text, at timestamptz, faults jsonb, row_count integer, ingested_position bigint)
     where upload.request_id = changed.request_id
       and upload.status = any(:from)`,
    { changes: JSON.stringify(changes), from: [...from] },
  );
}

/**
 * One row per upload. `position` is that of `UploadReceived`; from `ingested_position` on its rows are in force.
 * `row_count` is null unless the file was accepted.
 */
async function createUploadsTable(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.uploads (
      request_id uuid primary key,
      app_id integer not null,
      kind text not null,
      status text not null,
      prev_status text,
      faults jsonb,
      file_name text,
      file_bytes bigint not null,
      sha256 text not null,
      row_count integer,
      received_at timestamptz not null,
      updated_at timestamptz not null,
      position bigint not null,
      ingested_position bigint
    );
    -- The list of uploads, and of those of a status.
    create index on ${schema}.uploads (app_id, kind, position) include (received_at);
    create index on ${schema}.uploads (app_id, kind, status, position) include (received_at);
    -- The to-do list of the upload pipeline.
    create index on ${schema}.uploads (position) where status in ('uploaded', 'validated', 'ingested');
  `);
  const columns = { app_id: "app_id", kind: "kind", status: "status" };
  await keepCounts(trx, schema, "uploads", { columns, instant: "received_at" });
}
