import { MalformedMessage, type ProtobufField, protobufFields } from "./protobuf.ts";

/** An event as a client proposes it in an append call. The buffers are slices of the request. */
export interface ProposedEvent {
  /** A UUID in lower case. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** Every event has a type and a content type in its metadata map. */
export class MissingMetadataProperty extends MalformedMessage {
  override readonly name = "MissingMetadataProperty";
  readonly property: string;
  constructor(property: string) {
    super(`Required Metadata Property '${property}' is missing.`);
    this.property = property;
  }
}

const NOTHING = Buffer.alloc(0);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reads `AppendReq.ProposedMessage`; throws {@link MalformedMessage}. */
export function readProposedEvent(message: Buffer): ProposedEvent {
  let id = "";
  let type: string | null = null;
  let contentType: string | null = null;
  let data: Buffer = NOTHING;
  let metadata: Buffer = NOTHING;
  for (const field of protobufFields(message)) {
    if (field.number === 1) id = readUuid(field.bytes);
    else if (field.number === 2) {
      const entry = readMapEntry(field.bytes);
      if (entry.key === "type") type = entry.value;
      else if (entry.key === "content-type") contentType = entry.value;
    } else if (field.number === 3) metadata = field.bytes;
    else if (field.number === 4) data = field.bytes;
  }
  if (!UUID.test(id)) throw new MalformedMessage(`"${id}" is not a UUID`);
  if (type === null) throw new MissingMetadataProperty("type");
  if (contentType === null) throw new MissingMetadataProperty("content-type");
  return { id, type, isJson: contentType === "application/json", data, metadata };
}

/** What a real server counts towards the maximum append size. */
export function appendSize(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + event.type.length * 2;
}

function readMapEntry(message: Buffer): { readonly key: string; readonly value: string } {
  let key = "";
  let value = "";
  for (const field of protobufFields(message)) {
    if (field.number === 1) key = field.bytes.toString("utf8");
    else if (field.number === 2) value = field.bytes.toString("utf8");
  }
  return { key, value };
}

function readUuid(message: Buffer): string {
  for (const field of protobufFields(message)) {
    if (field.number === 2) return field.bytes.toString("latin1").toLowerCase();
    if (field.number === 1) return uuidOfHalves(field);
  }
  return "";
}

function uuidOfHalves(structured: ProtobufField): string {
  const halves = [0n, 0n];
  for (const field of protobufFields(structured.bytes))
    if (field.number === 1 || field.number === 2) halves[field.number - 1] = field.varint ?? 0n;
  const hex = halves.map((half) => BigInt.asUintN(64, half).toString(16).padStart(16, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
