import { setTimeout as pause } from "node:timers/promises";
import type { ApiClient, SentFile } from "./api-client.ts";

/** Where each kind of file is sent (A: Self-serve uploads). */
export const uploadPaths = {
  "ad-spend": "/self-serve-data/v1/ad-spend/requests",
  metric: "/self-serve-data/v1/metric/requests",
  "legacy-cost": "/custom-data-upload/v1.0/cost/requests",
} as const;

export type UploadKindName = keyof typeof uploadPaths;

/** An upload request record (A). `reason` is the JSON text of a map from columns to texts. */
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

/**
 * Uploads a file and asks for its status until it has ended; answers the last record. Throws when that takes more than
 * a minute. `onStatus` is told of every record.
 */
export async function uploadFile(
  api: ApiClient,
  kind: UploadKindName,
  file: SentFile,
  onStatus: (record: UploadRecord) => void = () => {},
): Promise<UploadRecord> {
  const path = uploadPaths[kind];
  const deadline = Date.now() + patience;
  let record = (await api.sendFile(path, file)) as UploadRecord;
  for (;;) {
    onStatus(record);
    if (record.status === "succeeded" || record.status === "failed") return record;
    if (Date.now() > deadline) throw new Error(`${file.name} is still ${record.status} after ${patience / 1000} s`);
    await pause(pollPause);
    record = (await api.send("GET", `${path}/${record.requestId}`)) as UploadRecord;
  }
}
