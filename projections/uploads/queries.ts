import type { Fault } from "../../domain/fault.ts";
import type { UploadKind } from "../../domain/uploads/events.ts";
import type { UploadStatus } from "../../domain/uploads/upload-record.ts";
import type { Period } from "../list-counts.ts";
import { type ListPage, listPage, type PageQuery } from "../list-page.ts";
import type { ReadModel } from "../projection.ts";

export interface UploadRow {
  readonly requestId: string;
  readonly appId: number;
  readonly kind: UploadKind;
  readonly status: UploadStatus;
  readonly prevStatus: UploadStatus | null;
  /** Why the upload failed. */
  readonly faults: readonly Fault[] | null;
  readonly fileName: string | null;
  readonly fileBytes: bigint;
  /** Of the file as sent, hex. */
  readonly sha256: string;
  /** Rows of the file; null unless it was accepted. */
  readonly rowCount: number | null;
  readonly receivedAt: Date;
  readonly updatedAt: Date;
  /** Log position of `UploadReceived`. */
  readonly position: bigint;
  /** Log position from which its rows are in force. */
  readonly ingestedPosition: bigint | null;
}

const columns = `request_id as "requestId", app_id as "appId", kind, status, prev_status as "prevStatus", faults,
  file_name as "fileName", file_bytes as "fileBytes", sha256, row_count as "rowCount", received_at as "receivedAt",
  updated_at as "updatedAt", position, ingested_position as "ingestedPosition"`;

/** An upload of an app, of any kind. `requestId` must be a UUID. */
export async function uploadOf({ db, schema }: ReadModel, appId: number, requestId: string): Promise<UploadRow | null> {
  const { rows } = await db.raw<{ rows: UploadRow[] }>(
    `select ${columns}
     from ${schema}.uploads
     where request_id = :requestId
       and app_id = :appId`,
    { requestId, appId },
  );
  return rows[0] ?? null;
}

export interface UploadList extends PageQuery {
  readonly appId: number;
  readonly kind: UploadKind;
  readonly status: UploadStatus | null;
  /** Null: at any time. */
  readonly received: Period | null;
}

/** Uploads of one kind of an app, the newest first. */
export async function listUploads(readModel: ReadModel, list: UploadList): Promise<ListPage<UploadRow>> {
  const { appId, kind, status, received, ...page } = list;
  const conditions = [...["app_id = :appId", "kind = :kind"], ...(status === null ? [] : ["status = :status"])];
  const listed = {
    table: "uploads",
    hasCounts: true,
    columns,
    conditions,
    dated: { instant: "received_at", period: received },
    values: { appId, kind, status: status ?? "" },
  };
  return listPage(readModel, listed, page);
}

/** Uploads that have not ended: the oldest of each app, then the second of each. */
export async function openUploads({ db, schema }: ReadModel, limit: number): Promise<readonly UploadRow[]> {
  const { rows } = await db.raw<{ rows: UploadRow[] }>(
    `select ${columns}
     from ${schema}.uploads
     where status in ('uploaded', 'validated', 'ingested')
     order by row_number() over (partition by app_id order by position), position
     limit :limit`,
    { limit },
  );
  return rows;
}
