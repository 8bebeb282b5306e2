import type { ChannelProfile } from "../../domain/channels/events.ts";
import { uploadFileStream } from "../../domain/streams.ts";
import type { UploadKind } from "../../domain/uploads/events.ts";
import { localDate } from "../../domain/values/local-time.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { readFile } from "../file-chunks.ts";
import { type Validation, validateUpload } from "./validate-upload.ts";

export interface UploadToValidate {
  readonly requestId: string;
  readonly appId: number;
  readonly kind: UploadKind;
  readonly fileName: string | null;
  /** Of the file, hex. */
  readonly sha256: string;
  readonly receivedAt: Date;
}

export interface FileValidationDeps {
  readonly log: EventLog;
  /** Channels that were registered or changed. */
  channels(): Promise<readonly ChannelProfile[]>;
  /** IANA name. */
  timezoneOf(appId: number): Promise<string>;
}

/**
 * Reads an upload's file from the log and validates it by the app's local date of its receipt
 * (contract/uploads.md#values): with the same channels the outcome is the same at any later time.
 */
export function fileValidation({ log, channels, timezoneOf }: FileValidationDeps) {
  return async (upload: UploadToValidate): Promise<Validation> => {
    const { requestId, appId, kind, fileName, sha256, receivedAt } = upload;
    const today = localDate(await timezoneOf(appId), receivedAt.getTime());
    const bytes = await readFile(log, uploadFileStream(requestId), sha256);
    return validateUpload({ kind, fileName, bytes, today, channels: await channels() });
  };
}
