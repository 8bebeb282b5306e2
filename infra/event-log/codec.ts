import { type EventMetadata, type RecordedEvent, Undecodable } from "../../domain/event.ts";
import type { EventToAppend } from "./event-log.ts";

/** Makes today's shape of an event's data from the one stored under `schemaVersion`. */
type Upcaster = (data: unknown, schemaVersion: number) => unknown;

/** Upcasters by event type. */
export type Upcasters = Readonly<Record<string, Upcaster>>;

/** An event's content as it is stored. */
interface EncodedContent {
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Buffer;
}

/** An event as the store gives it back, not yet decoded. */
export interface StoredContent extends Omit<RecordedEvent, "data" | "metadata"> {
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

/** The event in today's shape. Never throws: data or metadata that cannot be read are marked ({@link Undecodable}). */
export function decodeContent(stored: StoredContent, upcasters: Upcasters): RecordedEvent {
  const { id, type, stream, revision, position, recordedAt } = stored;
  try {
    const metadata = parsedMetadata(stored.metadata);
    const data = stored.isJson ? parsedData(stored, metadata, upcasters) : new Uint8Array(stored.data);
    return { id, type, stream, revision, position, recordedAt, metadata, data };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const data = new Undecodable(reason, new Uint8Array(stored.data));
    const metadata = metadataOfStranger(recordedAt);
    return { id, type, stream, revision, position, recordedAt, metadata, data };
  }
}

function parsedData(stored: StoredContent, metadata: EventMetadata, upcasters: Upcasters): unknown {
  const data: unknown = JSON.parse(stored.data.toString("utf8"));
  const upcast = Object.hasOwn(upcasters, stored.type) ? upcasters[stored.type] : undefined;
  return upcast ? upcast(data, metadata.schemaVersion) : data;
}

/** Only what decoding needs is checked: the rest was written by this house, in `commands/metadata.ts`. */
function parsedMetadata(bytes: Buffer): EventMetadata {
  const metadata: unknown = bytes.length === 0 ? null : JSON.parse(bytes.toString("utf8"));
  const ours = typeof metadata === "object" && metadata !== null && "schemaVersion" in metadata;
  if (!ours || typeof metadata.schemaVersion !== "number") throw new TypeError("the metadata is not of this house");
  return metadata as EventMetadata;
}

function metadataOfStranger(recordedAt: Date): EventMetadata {
  const nobody = { requestId: "", correlationId: "", causationId: "", schemaVersion: 0 };
  return { ...nobody, actor: { kind: "operator" }, occurredAt: recordedAt.toISOString() };
}
