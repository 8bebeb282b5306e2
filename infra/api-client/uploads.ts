import { setTimeout as pause } from "node:timers/promises";
import type { ApiClient, SentFile } from "./api-client.ts";

/** Where each kind of file is sent (contract/uploads.md). */
export const uploadPaths = {
  "ad-spend": "/self-serve-data/v1/ad-spend/requests",
  metric: "/self-serve-data/v1/metric/requests",
  "legacy-cost": "/custom-data-upload/v1.0/cost/requests",
} as const;

export type UploadKindName = keyof typeof uploadPaths;

/** An upload request record. `reason` is the JSON text of a map from columns to texts. */
export interface UploadRecord {
  readonly requestId: string;
  readonly status: "uploaded" | "validated" | "ingested" | "succeeded" | "failed";
  readonly prevStatus: string | null;
  readonly reason: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const pollPause = 50;
const patience = 60_000;

/** The upload has not ended in the time that somebody would wait; it goes on. */
export class UploadGoesOn extends Error {
  override readonly name = "UploadGoesOn";
}

/** Sends a file; answers the record of an upload that has just begun. */
export async function sendUpload(api: ApiClient, kind: UploadKindName, file: SentFile): Promise<UploadRecord> {
  return (await api.sendFile(uploadPaths[kind], file)) as UploadRecord;
}

/**
 * Asks for an upload's status until it has ended; answers the last record. `onStatus` is told of every record, the
 * first one included.
 * @throws {UploadGoesOn} when that takes longer than `patienceMs`
 */
export async function followUpload(
  api: ApiClient,
  kind: UploadKindName,
  first: UploadRecord,
  onStatus: (record: UploadRecord) => void = () => {},
  patienceMs = patience,
): Promise<UploadRecord> {
  const deadline = Date.now() + patienceMs;
  for (
    let record = first;
    ;
    record = (await api.send("GET", `${uploadPaths[kind]}/${first.requestId}`)) as UploadRecord
  ) {
    onStatus(record);
    if (record.status === "succeeded" || record.status === "failed") return record;
    if (Date.now() > deadline) {
      throw new UploadGoesOn(`Upload ${first.requestId} is still ${record.status} after ${patienceMs / 1000} s`);
    }
    await pause(pollPause);
  }
}

/** Uploads a file and follows it to its end, at most a minute. */
export async function uploadFile(
  api: ApiClient,
  kind: UploadKindName,
  file: SentFile,
  onStatus: (record: UploadRecord) => void = () => {},
): Promise<UploadRecord> {
  return followUpload(api, kind, await sendUpload(api, kind, file), onStatus);
}
