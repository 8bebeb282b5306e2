import type { UploadKind, UploadReason } from "../../domain/uploads/events.ts";
import type { ReadModel } from "../projection.ts";

/** The status of an upload as its record names it (contract/uploads.md#status). */
export type UploadStatus = "uploaded" | "validated" | "ingested" | "succeeded" | "failed";

export interface UploadRow {
  readonly requestId: string;
  readonly appId: number;
  readonly kind: UploadKind;
  readonly status: UploadStatus;
  /** The status before; null while there was none. */
  readonly prevStatus: UploadStatus | null;
  /** Why it failed; null on every other. */
  readonly reason: UploadReason | null;
  readonly fileName: string | null;
  /** Size of the file as sent. */
  readonly fileBytes: bigint;
  /** Of the file as sent, hex. */
  readonly sha256: string;
  /** Rows of the file once it was accepted; null before and when it was not. */
  readonly rowCount: number | null;
  readonly receivedAt: Date;
  readonly updatedAt: Date;
  /** Log position of `UploadReceived`. */
  readonly position: bigint;
  /** Log position from which its rows are in force; null until then. */
  readonly ingestedPosition: bigint | null;
}

const columns = `request_id as "requestId", app_id as "appId", kind, status, prev_status as "prevStatus", reason,
  file_name as "fileName", file_bytes as "fileBytes", sha256, row_count as "rowCount", received_at as "receivedAt",
  updated_at as "updatedAt", position, ingested_position as "ingestedPosition"`;

/** One upload of an app, of any kind; null when there is none of that id. `requestId` must be a UUID. */
export async function uploadOf({ db, schema }: ReadModel, appId: number, requestId: string): Promise<UploadRow | null> {
  const { rows } = await db.raw<{ rows: UploadRow[] }>(
    `select ${columns} from ${schema}.uploads where request_id = :requestId and app_id = :appId`,
    { requestId, appId },
  );
  return rows[0] ?? null;
}

/** Uploads that have not ended, oldest first. */
export async function openUploads({ db, schema }: ReadModel, most: number): Promise<readonly UploadRow[]> {
  const { rows } = await db.raw<{ rows: UploadRow[] }>(
    `select ${columns} from ${schema}.uploads where status in ('uploaded', 'validated', 'ingested')
     order by position limit :most`,
    { most },
  );
  return rows;
}
