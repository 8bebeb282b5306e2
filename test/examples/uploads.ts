import { type Fault, fault } from "../../domain/fault.ts";
import type { UploadEvent, UploadKind, UploadReceived } from "../../domain/uploads/events.ts";
import { exampleUuid } from "./recorded-log.ts";

/** Id of the example upload of a number. */
export const uploadId = (number: number): string => exampleUuid("upload", number);

const at = (second: number): string => `2026-04-01T00:00:0${second}.000Z`;

/** The upload of a number and what becomes of it: each step a second after the one before. */
export function anUpload(number: number, more: Partial<UploadReceived["data"]> = {}) {
  const requestId = uploadId(number);
  const appId = more.appId ?? 1;
  const kind: UploadKind = more.kind ?? "ad_spend";
  const received: UploadEvent = {
    type: "UploadReceived",
    data: {
      requestId,
      appId,
      kind,
      fileName: `spend-${number}.csv`,
      bytes: 1_000 + number,
      sha256: "ab".repeat(32),
      receivedAt: at(0),
      ...more,
    },
  };
  const validated: UploadEvent = { type: "UploadValidated", data: { requestId, rows: 2, validatedAt: at(1) } };
  const ingested: UploadEvent = {
    type: "UploadIngested",
    data: { requestId, appId, kind, rows: 2, ingestedAt: at(2) },
  };
  const succeeded: UploadEvent = { type: "UploadSucceeded", data: { requestId, succeededAt: at(3) } };
  const rejected: UploadEvent = {
    type: "UploadRejected",
    data: { requestId, faults: badDate, rejectedAt: at(4) },
  };
  const failed: UploadEvent = { type: "UploadFailed", data: { requestId, faults: internalError, failedAt: at(5) } };
  return { received, validated, ingested, succeeded, rejected, failed };
}

export const badDate: readonly Fault[] = [
  fault("cell.not_a_date", ["date"], { rows: [2], count: 1 }),
  fault("cell.blank", ["channel"], { rows: [3], count: 1 }),
];
export const internalError: readonly Fault[] = [fault("file.internal_error", [])];
