import type { Knex } from "knex";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { UploadReason, UploadReceived } from "../../domain/uploads/events.ts";
import type { SchemaName } from "../projection.ts";

/** What an event makes of an upload's row; what it leaves out stays. */
export interface Move {
  readonly request_id: string;
  readonly status: "validated" | "ingested" | "succeeded" | "failed";
  readonly at: string;
  readonly reason?: UploadReason;
  readonly row_count?: number;
  readonly ingested_position?: string;
}

/** Opens a row for each upload that was received. */
export async function insertUploads(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedEvent<UploadReceived>[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data, position }) => ({
    request_id: data.requestId,
    app_id: data.appId,
    kind: data.kind,
    file_name: data.fileName,
    file_bytes: data.bytes,
    sha256: data.sha256,
    received_at: data.receivedAt,
    position: String(position.commit),
  }));
  await trx.raw(
    `insert into ${schema}.uploads
       (request_id, app_id, kind, status, file_name, file_bytes, sha256, received_at, updated_at, position)
     select request_id, app_id, kind, 'uploaded', file_name, file_bytes, sha256, received_at, received_at, position
     from jsonb_to_recordset(:rows) as received
       (request_id uuid, app_id integer, kind text, file_name text, file_bytes bigint, sha256 text,
        received_at timestamptz, position bigint)
     on conflict (request_id) do nothing`,
    { rows: JSON.stringify(rows) },
  );
}

/** Moves those of the uploads on that are in one of the states `from`: the others have been moved before. */
export async function moveUploads(
  trx: Knex.Transaction,
  schema: SchemaName,
  from: readonly string[],
  moves: readonly Move[],
): Promise<void> {
  if (moves.length === 0) return;
  await trx.raw(
    `update ${schema}.uploads upload
     set status = moved.status, prev_status = upload.status, updated_at = moved.at, reason = moved.reason,
       row_count = coalesce(moved.row_count, upload.row_count), ingested_position = coalesce(moved.ingested_position, upload.ingested_position)
     from jsonb_to_recordset(:moves) as moved
       (request_id uuid, status text, at timestamptz, reason jsonb, row_count integer, ingested_position bigint)
     where upload.request_id = moved.request_id and upload.status = any(:from)`,
    { moves: JSON.stringify(moves), from: [...from] },
  );
}
