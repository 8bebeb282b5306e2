import { type Actor, isUndecodable, type RecordedEvent } from "../../domain/event.ts";
import type { UploadEvent } from "../../domain/uploads/events.ts";
import { uploadRecord } from "../../domain/uploads/upload-record.ts";
import type { TokenRow } from "../../projections/apps/queries.ts";
import type { Replacement } from "../../projections/facts/uploads/replaced-rows.ts";
import type { UploadRow } from "../../projections/uploads/queries.ts";

/** The record (contract/uploads.md#record), what came, and how many of its rows there were and are in reports now. */
export function uploadAnswer(upload: UploadRow, rowsInForce: number, timezone: string) {
  const { kind, fileName, fileBytes, sha256, rowCount, receivedAt: createdAt, ...progress } = upload;
  const record = uploadRecord({ ...progress, createdAt }, timezone);
  return { ...record, kind, fileName, bytes: Number(fileBytes), sha256, rows: rowCount, rowsInForce };
}

/** Labels of an app's tokens by their ids. */
export type TokenLabels = ReadonlyMap<string, string | null>;

export function labelsOf(tokens: readonly TokenRow[]): TokenLabels {
  return new Map(tokens.map(({ tokenId, label }) => [tokenId, label]));
}

/**
 * An event, who caused it, when, and since when the log has it, which is the instant that `asOf` goes by
 * (contract/uploads.md#history). Chunks of rows are told by how many they hold.
 */
export function eventAnswer(event: RecordedEvent<UploadEvent>, labels: TokenLabels) {
  const { type, data, position, recordedAt, metadata } = event;
  return {
    position: position.commit.toString(),
    time: metadata.occurredAt,
    recordedAt: recordedAt.toISOString(),
    actor: actorAnswer(metadata.actor, labels),
    requestId: metadata.requestId,
    type,
    data: dataAnswer(data),
  };
}

function actorAnswer(actor: Actor, labels: TokenLabels) {
  return actor.kind === "token" ? { ...actor, label: labels.get(actor.tokenId) ?? null } : actor;
}

/** Null for what nobody can read any more. */
function dataAnswer(data: UploadEvent["data"]): object | null {
  if (isUndecodable(data)) return null;
  return "rows" in data && typeof data.rows === "object" ? { ...data, rows: data.rows.length } : data;
}

/** Rows of other uploads that this one replaced. */
export function replacedAnswer({ uploads, rows }: Replacement) {
  return {
    uploads,
    rows: rows.map(({ requestId, row, key, replacedAt }) => ({
      requestId,
      row,
      key,
      replacedAt: replacedAt.toString(),
    })),
  };
}

/** Rows of this upload that others replaced. */
export function replacedByAnswer({ uploads, rows }: Replacement) {
  return {
    uploads,
    rows: rows.map(({ row, key, replacedBy, replacedAt }) => ({
      row,
      key,
      replacedBy,
      replacedAt: replacedAt.toString(),
    })),
  };
}
