import { localDateTime } from "../values/local-time.ts";

/** Contract: contract/uploads.md#status. */
export type UploadStatus = "uploaded" | "validated" | "ingested" | "succeeded" | "failed";

/** The data of a record. Instants are Dates or ISO 8601. */
export interface UploadProgress {
  readonly requestId: string;
  readonly status: UploadStatus;
  readonly prevStatus: UploadStatus | null;
  /** Why the upload failed: texts by column (contract/uploads.md#format). */
  readonly reason: { readonly [column: string]: readonly string[] } | null;
  readonly createdAt: Date | string;
  readonly updatedAt: Date | string;
}

/** The response body of an upload (contract/uploads.md#record). */
export interface UploadRecord {
  readonly requestId: string;
  readonly status: UploadStatus;
  readonly prevStatus: UploadStatus | null;
  /** As JSON text. */
  readonly reason: string | null;
  /** `YYYY-MM-DDTHH:MM:SS` in the time zone of the app. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** @param timezone IANA name of the app's time zone */
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
