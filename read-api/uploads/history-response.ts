import { isUndecodable } from "../../domain/event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { UploadEvent } from "../../domain/uploads/events.ts";
import { uploadRecord } from "../../domain/uploads/upload-record.ts";
import type { Language } from "../../domain/values/language.ts";
import { reasonOf } from "../../infra/http/i18n/messages.ts";
import type { Replacement } from "../../projections/facts/uploads/replaced-rows.ts";
import type { UploadRow } from "../../projections/uploads/queries.ts";
import { actorResponse, type TokenLabels } from "../actor-response.ts";

/** The record (contract/uploads.md#record), its file, and how many of its rows there are, and are in force. */
export function uploadResponse(upload: UploadRow, rowsInForce: number, timezone: string, language: Language) {
  const { kind, fileName, fileBytes, sha256, rowCount, receivedAt: createdAt, faults, ...progress } = upload;
  const reason = faults && reasonOf(faults, language);
  const record = uploadRecord({ ...progress, createdAt, reason }, timezone);
  return { ...record, kind, fileName, bytes: Number(fileBytes), sha256, rows: rowCount, rowsInForce };
}

/**
 * An event, its actor, when it happened, and when it was stored, which `asOf` refers to (contract/uploads.md#history). Of
 * staged rows the number is shown, of faults their texts.
 */
export function eventResponse(event: RecordedEvent<UploadEvent>, labels: TokenLabels, language: Language) {
  const { type, data, position, recordedAt, metadata } = event;
  return {
    position: position.commit.toString(),
    time: metadata.occurredAt,
    recordedAt: recordedAt.toISOString(),
    actor: actorResponse(metadata.actor, labels),
    requestId: metadata.requestId,
    type,
    data: dataResponse(data, language),
  };
}

/** Null for data that cannot be decoded. */
function dataResponse(data: UploadEvent["data"], language: Language): object | null {
  if (isUndecodable(data)) return null;
  if ("rows" in data && typeof data.rows === "object") return { ...data, rows: data.rows.length };
  if (!("faults" in data)) return data;
  const { requestId, faults, ...time } = data;
  return { requestId, reason: reasonOf(faults, language), ...time };
}

/** Rows of other uploads that this one replaced. */
export function replacedResponse({ uploads, rows }: Replacement) {
  return {
    uploads,
    rows: rows.map(({ requestId, row, key, replacedAt }) => ({ requestId, row, key, replacedAt: String(replacedAt) })),
  };
}

/** Rows of this upload that others replaced. */
export function replacedByResponse({ uploads, rows }: Replacement) {
  return {
    uploads,
    rows: rows.map(({ row, key, replacedBy, replacedAt }) => ({
      row,
      key,
      replacedBy,
      replacedAt: String(replacedAt),
    })),
  };
}
