import { setTimeout as pause } from "node:timers/promises";
import type { UploadKind } from "../../domain/uploads/events.ts";
import { uploadKinds } from "../../domain/uploads/upload-kinds.ts";
import type { UploadRecord } from "../../domain/uploads/upload-record.ts";
import type { ApiClient, SentFile } from "./api-client.ts";

const pollMs = 50;
const defaultTimeoutMs = 60_000;

/** The upload has not ended before the time limit; the server still processes it. */
export class UploadUnfinished extends Error {
  override readonly name = "UploadUnfinished";
}

interface Following {
  /** Called with every record, the first one included. */
  readonly onStatus?: (record: UploadRecord) => void;
  readonly timeoutMs?: number;
}

/** Sends a file; returns the record of an upload that has just begun. */
export async function sendUpload(api: ApiClient, kind: UploadKind, file: SentFile): Promise<UploadRecord> {
  return (await api.sendFile(uploadKinds[kind].path, file)) as UploadRecord;
}

/**
 * Polls the record of an upload until it has ended; returns the last one.
 * @throws {UploadUnfinished} after `timeoutMs`
 */
export async function followUpload(
  api: ApiClient,
  kind: UploadKind,
  first: UploadRecord,
  { onStatus = () => {}, timeoutMs = defaultTimeoutMs }: Following = {},
): Promise<UploadRecord> {
  const deadline = Date.now() + timeoutMs;
  let record = first;
  for (;;) {
    onStatus(record);
    if (record.status === "succeeded" || record.status === "failed") return record;
    if (Date.now() > deadline) {
      throw new UploadUnfinished(`Upload ${first.requestId} is still ${record.status} after ${timeoutMs / 1000} s`);
    }
    await pause(pollMs);
    record = (await api.send("GET", `${uploadKinds[kind].path}/${first.requestId}`)) as UploadRecord;
  }
}

/** Sends a file and polls its record until the upload has ended. */
export async function uploadFile(
  api: ApiClient,
  kind: UploadKind,
  file: SentFile,
  following: Following = {},
): Promise<UploadRecord> {
  return followUpload(api, kind, await sendUpload(api, kind, file), following);
}
