import {
  bytesFieldLength,
  cursorInto,
  cursorOver,
  fieldBytes,
  fieldNumber,
  MalformedMessage,
  type MessageCursor,
  nextField,
  noBytes,
  varintLength,
  writeBytesField,
  writeFieldHead,
  writeVarint,
} from "../event-log/protobuf.ts";
import type { ProposedEvent } from "./proposed-event.ts";

/**
 * Stored events are the bytes of the protocol's `ReadResp.ReadEvent.RecordedEvent`, so that a read sends them
 * unchanged. Their fields have a fixed order, which protobuf does not require, to find id, stream and type undecoded:
 *
 *   id (40 bytes, as text) | stream identifier | metadata map: type, content type, created | revision | prepare |
 *   commit | custom metadata | data
 *
 * NOTE storage format: a change needs a new format version in `storage.ts`.
 */
export interface EncodedEvent {
  readonly position: number;
  readonly bytes: Buffer;
}

/** The revision of the event that closes a stream for ever: the largest signed 64 bit integer, as the protocol has it. */
export const tombstoneRevision = "tombstone";
export const tombstoneType = "$streamDeleted";

const ticksPerMs = 10_000;
const idFieldLength = 40;
const idTextStart = 4;
const tombstoneVarint = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
const typeKey = Buffer.from("type");
const contentTypeKey = Buffer.from("content-type");
const createdKey = Buffer.from("created");
const jsonContent = Buffer.from("application/json");
const binaryContent = Buffer.from("application/octet-stream");

/** Encodes an event with its revision and position. `created` is in ticks of 100 ns since 1970, as text. */
export function encodeStoredEvent(
  event: ProposedEvent,
  stream: Uint8Array,
  revision: number | typeof tombstoneRevision,
  position: number,
  created: Uint8Array,
): Buffer {
  const type = Buffer.from(event.type);
  const contentType = event.isJson ? jsonContent : binaryContent;
  const length =
    idFieldLength +
    bytesFieldLength(bytesFieldLength(stream.length)) +
    entryLength(typeKey, type) +
    entryLength(contentTypeKey, contentType) +
    entryLength(createdKey, created) +
    (revision === tombstoneRevision ? 1 + tombstoneVarint.length : 1 + varintLength(revision)) +
    2 * (1 + varintLength(position)) +
    optionalLength(event.metadata) +
    optionalLength(event.data);
  const target = Buffer.allocUnsafe(length);
  target[0] = 0x0a;
  target[1] = 0x26;
  target[2] = 0x12;
  target[3] = 0x24;
  target.write(event.id, idTextStart, "latin1");
  let at = writeFieldHead(target, 2, bytesFieldLength(stream.length), idFieldLength);
  at = writeBytesField(target, 3, stream, at);
  at = writeEntry(target, typeKey, type, at);
  at = writeEntry(target, contentTypeKey, contentType, at);
  at = writeEntry(target, createdKey, created, at);
  target[at] = 0x18;
  if (revision === tombstoneRevision) at += 1 + tombstoneVarint.copy(target, at + 1);
  else at = writeVarint(target, revision, at + 1);
  target[at] = 0x20;
  at = writeVarint(target, position, at + 1);
  target[at] = 0x28;
  at = writeVarint(target, position, at + 1);
  if (event.metadata.length > 0) at = writeBytesField(target, 7, event.metadata, at);
  if (event.data.length > 0) writeBytesField(target, 8, event.data, at);
  return target;
}

/** The id of a stored event, a UUID in lower case. */
export function storedEventId(bytes: Buffer): string {
  return bytes.toString("latin1", idTextStart, idFieldLength);
}

/** The name of the stream that a stored event belongs to, in UTF-8; a slice, no copy. */
export function storedStreamName(bytes: Buffer): Buffer {
  return nthFieldBytes(cursorInto(afterId(bytes, 1)), 1);
}

/** The type of a stored event, in UTF-8; a slice, no copy. */
export function storedEventType(bytes: Buffer): Buffer {
  return nthFieldBytes(cursorInto(afterId(bytes, 2)), 2);
}

/** When a stored event was written, as `Date.now()` counts. */
export function storedCreatedAt(bytes: Buffer): number {
  return Number(nthFieldBytes(cursorInto(afterId(bytes, 4)), 2).toString("latin1")) / ticksPerMs;
}

/** The content of a stored event; a slice, no copy. */
export function storedEventData(bytes: Buffer): Buffer {
  const cursor = cursorOver(bytes, idFieldLength);
  while (nextField(cursor)) if (cursor.field === 8) return fieldBytes(cursor);
  return noBytes;
}

/** The revision of a stored event; null for the event that closes a stream. */
export function storedRevision(bytes: Buffer): number | null {
  const cursor = cursorOver(bytes, idFieldLength);
  while (nextField(cursor)) {
    if (cursor.field !== 3) continue;
    return fieldBytes(cursor).equals(tombstoneVarint) ? null : fieldNumber(cursor);
  }
  throw new MalformedMessage("an event without a revision");
}

/** A stored event without its id, whose form each client chooses. */
export function withoutId(bytes: Buffer): Buffer {
  return bytes.subarray(idFieldLength);
}

function optionalLength(content: Uint8Array): number {
  return content.length === 0 ? 0 : bytesFieldLength(content.length);
}

function entryLength(key: Uint8Array, value: Uint8Array): number {
  return bytesFieldLength(bytesFieldLength(key.length) + bytesFieldLength(value.length));
}

function writeEntry(target: Buffer, key: Uint8Array, value: Uint8Array, offset: number): number {
  const start = writeFieldHead(target, 6, bytesFieldLength(key.length) + bytesFieldLength(value.length), offset);
  return writeBytesField(target, 2, value, writeBytesField(target, 1, key, start));
}

/** A cursor on the n-th field behind the id. */
function afterId(bytes: Buffer, nth: number): MessageCursor {
  const cursor = cursorOver(bytes, idFieldLength);
  for (let moved = 0; moved < nth; moved++) nextField(cursor);
  return cursor;
}

function nthFieldBytes(cursor: MessageCursor, nth: number): Buffer {
  for (let moved = 0; moved < nth; moved++) nextField(cursor);
  return fieldBytes(cursor);
}
