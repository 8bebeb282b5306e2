import { type ApiClient, formOf, required, type SentFile } from "./client.ts";
import { pause } from "./retries.ts";
import { type paths, uploadPaths } from "./schema.ts";

export type UploadKind = keyof typeof uploadPaths;

/** The record of an upload. */
export type UploadRecord =
  paths[(typeof uploadPaths)["ad_spend"]]["post"]["responses"][200]["content"]["application/json"];

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

/** Sends a file; returns the record of the new upload. @throws {SyntaxError} when another server responds */
export async function sendUpload(client: ApiClient, kind: UploadKind, file: SentFile): Promise<UploadRecord> {
  const record = required(await client.POST(uploadPaths[kind], { body: formOf([file], "text/csv") as never }));
  if (typeof record?.requestId !== "string") throw new SyntaxError("The response has no requestId");
  return record;
}

/**
 * Polls the record of an upload until it has ended; returns the last one.
 * @throws {UploadUnfinished} after `timeoutMs`
 */
export async function followUpload(
  client: ApiClient,
  kind: UploadKind,
  first: UploadRecord,
  { onStatus = () => {}, timeoutMs = defaultTimeoutMs }: Following = {},
): Promise<UploadRecord> {
  const deadline = performance.now() + timeoutMs;
  const params = { path: { request_id: first.requestId } };
  let record = first;
  for (;;) {
    onStatus(record);
    if (record.status === "succeeded" || record.status === "failed") return record;
    if (performance.now() > deadline) {
      throw new UploadUnfinished(`Upload ${first.requestId} is still ${record.status} after ${timeoutMs / 1000} s`);
    }
    await pause(pollMs, client.signal);
    record = required(await client.GET(`${uploadPaths[kind]}/{request_id}`, { params }));
  }
}

/** Sends a file and polls its record until the upload has ended. */
export async function uploadFile(
  client: ApiClient,
  kind: UploadKind,
  file: SentFile,
  following: Following = {},
): Promise<UploadRecord> {
  return followUpload(client, kind, await sendUpload(client, kind, file), following);
}
