import { localDateTime } from "../values/local-time.ts";
import type { UploadReason } from "./events.ts";

/** The status of an upload as its record names it (contract/uploads.md#status). */
export type UploadStatus = "uploaded" | "validated" | "ingested" | "succeeded" | "failed";

/** How far an upload is. Instants are Dates or ISO 8601. */
export interface UploadProgress {
  readonly requestId: string;
  readonly status: UploadStatus;
  /** The status before; null while there was none. */
  readonly prevStatus: UploadStatus | null;
  /** Why it failed; null on every other. */
  readonly reason: UploadReason | null;
  readonly createdAt: Date | string;
  readonly updatedAt: Date | string;
}

/** An upload as its record is answered (contract/uploads.md#record). */
export interface UploadRecord {
  readonly requestId: string;
  readonly status: UploadStatus;
  readonly prevStatus: UploadStatus | null;
  /** JSON text of texts by column (contract/uploads.md#format). */
  readonly reason: string | null;
  /** Local times of the app, `YYYY-MM-DDTHH:MM:SS` (contract/uploads.md#record). */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The record that POST and GET of an upload answer, in the app's time zone. */
export function uploadRecord(progress: UploadProgress, timezone: string): UploadRecord {
  const { requestId, status, prevStatus, reason, createdAt, updatedAt } = progress;
  return {
    requestId,
    status,
    prevStatus,
    reason: reason === null ? null : JSON.stringify(reason),
    createdAt: localDateTime(timezone, new Date(createdAt).getTime()),
    updatedAt: localDateTime(timezone, new Date(updatedAt).getTime()),
  };
}
