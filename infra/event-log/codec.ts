import { type EventMetadata, type Recorded, Undecodable } from "../../domain/event.ts";
import { eventCatalogue, isEventType, type RecordedEvent } from "../../domain/event-catalogue.ts";
import { upcast } from "../../domain/upcasters.ts";
import { checkShape } from "./check-shape.ts";
import type { EventToAppend } from "./event-log.ts";

/** An event as it is sent to the store. */
export interface EncodedEvent {
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Buffer;
}

/** An event as the store returns it, not yet decoded; `recordedAt` is when this store recorded it. */
export interface StoredContent extends Omit<Recorded, "metadata">, EncodedEvent {
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** Data and metadata as they are stored: JSON, or the bytes as they are. */
export function encodeContent(event: EventToAppend): EncodedEvent {
  const { id, type } = event;
  const metadata = Buffer.from(JSON.stringify(event.metadata));
  if (event.data instanceof Uint8Array) return { id, type, isJson: false, data: event.data, metadata };
  const json: string | undefined = JSON.stringify(event.data);
  if (json === undefined) throw new TypeError(`the data of ${type} cannot be written as JSON`);
  return { id, type, isJson: true, data: Buffer.from(json), metadata };
}

/**
 * The event with its data in the current version of its type. Never throws: when data or metadata cannot be read, or do
 * not have the shape in the catalogue, `data` is an {@link Undecodable}. Events of types that are not in the catalogue,
 * which other versions append, are returned too, although the type of the result excludes them.
 */
export function decodeContent(stored: StoredContent): RecordedEvent {
  const { id, type, stream, revision, position } = stored;
  let { recordedAt } = stored;
  let data: unknown;
  let metadata: EventMetadata;
  try {
    const found = (JSON.parse(stored.metadata.toString("utf8") || "{}") ?? {}) as StoredMetadata;
    recordedAt = firstRecordedAt(found) ?? recordedAt;
    metadata = checked(found);
    data = stored.isJson ? parsedData(stored, metadata) : new Uint8Array(stored.data);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    data = new Undecodable(reason, new Uint8Array(stored.data));
    metadata = unknownMetadata(recordedAt);
  }
  return { id, type, stream, revision, position, recordedAt, metadata, data } as RecordedEvent;
}

/** In the metadata of a copied event, `recordedAt` is when the first store recorded it. */
interface StoredMetadata extends Partial<EventMetadata> {
  readonly recordedAt?: unknown;
}

function parsedData({ type, data: stored }: StoredContent, { schemaVersion }: EventMetadata): unknown {
  const data: unknown = JSON.parse(stored.toString("utf8"));
  if (!isEventType(type) || type === "FileChunk") return data;
  const current = upcast(eventCatalogue[type], data, schemaVersion);
  // A newer version may have another shape.
  if (schemaVersion <= eventCatalogue[type].version) checkShape(type, current);
  return current;
}

/** Checks only what decoding needs: `commands/event-metadata.ts` has written the rest. */
function checked(found: StoredMetadata): EventMetadata {
  if (typeof found.schemaVersion !== "number") throw new TypeError("metadata lacks a numeric schemaVersion");
  if (found.recordedAt === undefined) return found as EventMetadata;
  const { recordedAt: _, ...metadata } = found;
  return metadata as EventMetadata;
}

function firstRecordedAt({ recordedAt }: StoredMetadata): Date | null {
  const instant = typeof recordedAt === "string" ? new Date(recordedAt) : null;
  return instant === null || Number.isNaN(instant.getTime()) ? null : instant;
}

/** For an event whose own metadata cannot be read. */
function unknownMetadata(recordedAt: Date): EventMetadata {
  const ids = { requestId: "", correlationId: "", causationId: "" };
  return { ...ids, actor: { kind: "operator" }, schemaVersion: 0, occurredAt: recordedAt.toISOString() };
}

const closingBrace = "}".charCodeAt(0);

/**
 * The metadata of an event for another store: its bytes, and the time at which the first store recorded it. Metadata
 * that is not a JSON object, which no version has written, is wrapped in one.
 */
export function metadataOfCopy({ metadata, recordedAt }: Pick<StoredContent, "metadata" | "recordedAt">): Buffer {
  const added = { recordedAt: recordedAt.toISOString() };
  const found = objectIn(metadata);
  if (found === null) return Buffer.from(JSON.stringify({ ...added, wrapped: metadata.toString("base64") }));
  if (firstRecordedAt(found) !== null) return metadata;
  const end = metadata.lastIndexOf(closingBrace);
  const text = `${Object.keys(found).length === 0 ? "" : ","}${JSON.stringify(added).slice(1, -1)}`;
  return Buffer.concat([metadata.subarray(0, end), Buffer.from(text), metadata.subarray(end)]);
}

function objectIn(json: Buffer): object | null {
  try {
    const value: unknown = JSON.parse(json.toString("utf8"));
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
