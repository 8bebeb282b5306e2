import {
  cursorInto,
  cursorOver,
  fieldBytes,
  fieldLong,
  fieldText,
  MalformedMessage,
  type MessageCursor,
  nextField,
  noBytes,
  uuidOfHalves,
} from "../event-log/protobuf.ts";

import { missingMetadataProperty } from "./grpc-errors.ts";

/** An event as a client proposes it, in a plain append or a batch append. The buffers are slices of the request. */
export interface ProposedEvent {
  /** A UUID in lower case. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Reads `AppendReq.ProposedMessage` or `BatchAppendReq.ProposedMessage`, which have the same fields. Throws
 * {@link MalformedMessage}, or a `ServiceError` when the type or content type is missing.
 */
export function readProposedEvent(message: Buffer): ProposedEvent {
  const cursor = cursorOver(message);
  const properties = { type: "", "content-type": "" };
  let id = "";
  let data: Buffer = noBytes;
  let metadata: Buffer = noBytes;
  while (nextField(cursor)) {
    if (cursor.field === 1) id = readUuid(cursorInto(cursor));
    else if (cursor.field === 2) readProperty(cursorInto(cursor), properties);
    else if (cursor.field === 3) metadata = fieldBytes(cursor);
    else if (cursor.field === 4) data = fieldBytes(cursor);
  }
  if (!uuidPattern.test(id)) throw new MalformedMessage(`"${id}" is not a UUID`);
  const { type, "content-type": contentType } = properties;
  if (type === "") throw missingMetadataProperty("type");
  if (contentType === "") throw missingMetadataProperty("content-type");
  return { id, type, isJson: contentType === "application/json", data, metadata };
}

/** Bytes that EventStoreDB counts towards the maximum append size. */
export function appendSize(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + event.type.length * 2;
}

/** Reads one entry of a `map<string, string>`. */
function readProperty(cursor: MessageCursor, properties: { type: string; "content-type": string }): void {
  let key = "";
  let value = "";
  while (nextField(cursor)) {
    if (cursor.field === 1) key = fieldText(cursor);
    else if (cursor.field === 2) value = fieldText(cursor);
  }
  if (key === "type" || key === "content-type") properties[key] = value;
}

/** A UUID is sent as text or, by the .NET and Java clients, as two 64-bit integers. */
function readUuid(cursor: MessageCursor): string {
  while (nextField(cursor)) {
    if (cursor.field === 2) return fieldText(cursor).toLowerCase();
    if (cursor.field === 1) return readHalves(cursorInto(cursor));
  }
  return "";
}

function readHalves(cursor: MessageCursor): string {
  const halves: [bigint, bigint] = [0n, 0n];
  while (nextField(cursor)) halves[cursor.field - 1] = fieldLong(cursor);
  return uuidOfHalves(...halves);
}
