import { readFile } from "../../commands/file-chunks.ts";
import { uploadFileStream, uploadStream } from "../../domain/streams.ts";
import type { PositionAsOf } from "../../read-api/as-of.ts";
import type { UploadLog } from "../../read-api/read-api.ts";
import type { EventLog } from "../event-log/event-log.ts";

/** What the read API sees of uploads in the log. */
export function readUploadLog(log: Pick<EventLog, "read">, positionAsOf: PositionAsOf): UploadLog {
  return {
    uploadEvents: (requestId) => log.read(uploadStream(requestId)),
    uploadedFile: (requestId, sha256) => readFile(log, uploadFileStream(requestId), sha256),
    positionAsOf,
  };
}
