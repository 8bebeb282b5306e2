import { randomUUID } from "node:crypto";
import { noBytes } from "../event-log/protobuf.ts";
import type { ProposedEvent } from "./proposed-event.ts";

/**
 * The metadata of a stream `x` are the last event of the stream `$$x`. Those that limit reads are also stored in the
 * state of `x`, so that a read of a stream without metadata costs nothing. All others (the rights of `$acl`, custom
 * properties) can be read and have no effect: a store has one credential.
 */
export interface StreamMetadata {
  /** Position of the event with the metadata. */
  readonly position: number;
  /**
   * The first revision that may be read: `$tb`. {@link deletedMark} when the stream is deleted until the next append.
   */
  readonly truncateBefore: number;
  /** Maximum number of events that are read, `$maxCount`; null: all. */
  readonly maxCount: number | null;
  /** Maximum age of events that are read, in seconds, `$maxAge`; null: any. */
  readonly maxAge: number | null;
}

/** The largest signed 64-bit integer, as a double. */
const deletedMark = 2 ** 63;
/** The metadata of a deleted stream, as text because a double lacks the last digits. */
const metadataOfDeleted = Buffer.from('{"$tb":9223372036854775807}');

const metadataPrefix = "$$";
const metadataOfMetadata: StreamMetadata = { position: 0, truncateBefore: 0, maxCount: 1, maxAge: null };

/** The stream that holds the metadata of a stream. */
export function metadataStreamOf(stream: string): string {
  return metadataPrefix + stream;
}

/** The stream whose metadata a stream holds; null when it holds none. */
export function describedStream(name: string): string | null {
  return name.startsWith(metadataPrefix) ? name.slice(metadataPrefix.length) : null;
}

/**
 * The metadata that limit reads of a stream, given those of its state. Of a metadata stream only the last event is
 * read.
 */
export function effectiveMetadata(name: string, metadata: StreamMetadata | null): StreamMetadata | null {
  return name.startsWith(metadataPrefix) ? metadataOfMetadata : metadata;
}

/** Reads metadata as EventStoreDB does: those with an invalid value have no effect. */
export function readMetadata(position: number, data: Buffer): StreamMetadata {
  const { $tb = 0, $maxCount = null, $maxAge = null } = jsonObject(data);
  const valid =
    isWhole($tb, 0) && ($maxCount === null || isWhole($maxCount, 1)) && ($maxAge === null || isWhole($maxAge, 1));
  if (!valid) return { position, truncateBefore: 0, maxCount: null, maxAge: null };
  return { position, truncateBefore: $tb, maxCount: $maxCount, maxAge: $maxAge };
}

/** Whether the stream is deleted until the next append. */
export function isDeleted({ metadata }: { readonly metadata: StreamMetadata | null }): boolean {
  return metadata !== null && metadata.truncateBefore >= deletedMark;
}

/** The event that deletes a stream until the next append. Other metadata are dropped. */
export function deletion(id: string): ProposedEvent {
  return metadataEvent(id, metadataOfDeleted);
}

/** The event that makes a deleted stream continue at `revision`, with its other metadata. */
export function revival(metadata: Buffer, revision: number): ProposedEvent {
  return metadataEvent(randomUUID(), Buffer.from(JSON.stringify({ ...jsonObject(metadata), $tb: revision })));
}

function metadataEvent(id: string, data: Buffer): ProposedEvent {
  return { id, type: "$metadata", isJson: true, data, metadata: noBytes };
}

function isWhole(value: unknown, min: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= min;
}

/** Empty when the data are no JSON object. */
function jsonObject(data: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(data.toString());
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
