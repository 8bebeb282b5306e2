import { type EventMetadata, type Recorded, Undecodable } from "../../domain/event.ts";
import { eventCatalogue, isEventType, type RecordedEvent, upcast } from "../../domain/event-catalogue.ts";
import type { EventToAppend } from "./event-log.ts";

/** An event's content as it is stored. */
interface EncodedContent {
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Buffer;
}

/** An event as the store returns it, not yet decoded. */
export interface StoredContent extends Omit<Recorded, "metadata"> {
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** Data and metadata as they are stored: JSON, or the bytes as they are. */
export function encodeContent(event: EventToAppend): EncodedContent {
  const metadata = Buffer.from(JSON.stringify(event.metadata));
  if (event.data instanceof Uint8Array) return { isJson: false, data: event.data, metadata };
  const json: string | undefined = JSON.stringify(event.data);
  if (json === undefined) throw new TypeError(`the data of ${event.type} cannot be written as JSON`);
  return { isJson: true, data: Buffer.from(json), metadata };
}

/**
 * The event with its data in the current version of its type. Never throws: data or metadata that cannot be read make
 * `data` an {@link Undecodable}. Events of types that are not in the catalogue, which other versions append, are
 * returned too; that is the one place where the type of the result promises too much.
 */
export function decodeContent(stored: StoredContent): RecordedEvent {
  const { id, type, stream, revision, position, recordedAt } = stored;
  let data: unknown;
  let metadata: EventMetadata;
  try {
    metadata = parsedMetadata(stored.metadata);
    data = stored.isJson ? parsedData(stored, metadata) : new Uint8Array(stored.data);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    data = new Undecodable(reason, new Uint8Array(stored.data));
    metadata = unknownMetadata(recordedAt);
  }
  return { id, type, stream, revision, position, recordedAt, metadata, data } as RecordedEvent;
}

function parsedData({ type, data: stored }: StoredContent, { schemaVersion }: EventMetadata): unknown {
  const data: unknown = JSON.parse(stored.toString("utf8"));
  return isEventType(type) ? upcast(eventCatalogue[type], data, schemaVersion) : data;
}

/** Checks only what decoding needs: `commands/metadata.ts` has written the rest. */
function parsedMetadata(bytes: Buffer): EventMetadata {
  const metadata: unknown = bytes.length === 0 ? null : JSON.parse(bytes.toString("utf8"));
  const isVersioned = typeof metadata === "object" && metadata !== null && "schemaVersion" in metadata;
  if (!isVersioned || typeof metadata.schemaVersion !== "number") {
    throw new TypeError("metadata lacks a numeric schemaVersion");
  }
  return metadata as EventMetadata;
}

/** For an event whose own metadata cannot be read. */
function unknownMetadata(recordedAt: Date): EventMetadata {
  const ids = { requestId: "", correlationId: "", causationId: "" };
  return { ...ids, actor: { kind: "operator" }, schemaVersion: 0, occurredAt: recordedAt.toISOString() };
}
