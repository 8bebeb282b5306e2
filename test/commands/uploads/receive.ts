import { sha256 } from "../../../commands/derived-ids.ts";
import { appendFile } from "../../../commands/file-chunks.ts";
import type { LogPosition } from "../../../domain/event.ts";
import { uploadFileStream, uploadStream } from "../../../domain/streams.ts";
import type { UploadReceived } from "../../../domain/uploads/events.ts";
import { operatorCause } from "../../examples/cause.ts";
import { anUpload, uploadId } from "../../examples/uploads.ts";
import type { Stores } from "../../projections/engine/stores.ts";

/** Puts a file and its receipt in the log, as its POST would. */
export async function receiveUpload(
  { log, append }: Pick<Stores, "log" | "append">,
  number: number,
  file: string,
  more: Partial<UploadReceived["data"]> = {},
): Promise<LogPosition> {
  const bytes = Buffer.from(file);
  const requestId = uploadId(number);
  await appendFile(log, { stream: uploadFileStream(requestId), idsFrom: requestId, cause: operatorCause }, bytes);
  const hash = sha256(bytes).toString("hex");
  return append(uploadStream(requestId), anUpload(number, { bytes: bytes.length, sha256: hash, ...more }).received);
}
