/** The bytes are not a protobuf message of the expected type. */
export class MalformedMessage extends Error {
  override readonly name: string = "MalformedMessage";
}

/**
 * Iterates over the fields of a message without copying: {@link nextField} advances, the other functions read the current
 * field. Hand-written for speed: events pass without the generated classes, which copy and decode everything.
 */
export interface MessageCursor {
  readonly bytes: Buffer;
  readonly end: number;
  /** Number of the current field. */
  field: number;
  /** Where its content starts and stops. */
  start: number;
  stop: number;
}

/** The content of an empty field. */
export const noBytes = Buffer.alloc(0);

const varintType = 0;
const fixed64Type = 1;
const lengthDelimitedType = 2;
const fixed32Type = 5;

/** A cursor before the first field of a message. */
export function cursorOver(bytes: Buffer, start = 0): MessageCursor {
  return { bytes, end: bytes.length, field: 0, start, stop: start };
}

/** A cursor before the first field of the message in the current field. */
export function cursorInto(cursor: MessageCursor): MessageCursor {
  return { bytes: cursor.bytes, end: cursor.stop, field: 0, start: cursor.start, stop: cursor.start };
}

/** Advances to the next field; returns false at the end. Throws {@link MalformedMessage}. */
export function nextField(cursor: MessageCursor): boolean {
  if (cursor.stop >= cursor.end) return false;
  cursor.start = cursor.stop;
  const tag = takeVarint(cursor);
  cursor.field = Math.floor(tag / 8);
  const wireType = tag & 7;
  if (wireType === lengthDelimitedType) cursor.stop = takeVarint(cursor) + cursor.start;
  else if (wireType === varintType) cursor.stop = endOfVarint(cursor);
  else if (wireType === fixed64Type) cursor.stop = cursor.start + 8;
  else if (wireType === fixed32Type) cursor.stop = cursor.start + 4;
  else throw new MalformedMessage(`unknown wire type ${wireType}`);
  if (cursor.stop > cursor.end) throw new MalformedMessage("a field reaches beyond its message");
  return true;
}

/** The content as bytes; a slice, no copy. */
export function fieldBytes(cursor: MessageCursor): Buffer {
  return cursor.bytes.subarray(cursor.start, cursor.stop);
}

/** The content as text in UTF-8. */
export function fieldText(cursor: MessageCursor): string {
  return cursor.bytes.toString("utf8", cursor.start, cursor.stop);
}

/** A varint as a number: exact up to 2^53. */
export function fieldNumber(cursor: MessageCursor): number {
  let value = 0;
  let multiplier = 1;
  for (let at = cursor.start; at < cursor.stop; at++) {
    value += ((cursor.bytes[at] ?? 0) & 0x7f) * multiplier;
    multiplier *= 128;
  }
  return value;
}

/** A varint as an integer of 64 bits without sign. */
export function fieldLong(cursor: MessageCursor): bigint {
  let value = 0n;
  for (let at = cursor.stop - 1; at >= cursor.start; at--)
    value = (value << 7n) | BigInt((cursor.bytes[at] ?? 0) & 0x7f);
  return BigInt.asUintN(64, value);
}

/** Reads a varint of at most 32 bits (a tag or a length) at `start`, and moves `start` behind it. */
function takeVarint(cursor: MessageCursor): number {
  let value = 0;
  let multiplier = 1;
  for (let read = 0; read < 5; read++) {
    const byte = cursor.bytes[cursor.start];
    if (byte === undefined || cursor.start >= cursor.end) break;
    cursor.start += 1;
    value += (byte & 0x7f) * multiplier;
    if (byte < 0x80) return value;
    multiplier *= 128;
  }
  throw new MalformedMessage("truncated varint");
}

function endOfVarint(cursor: MessageCursor): number {
  const limit = Math.min(cursor.start + 10, cursor.end);
  for (let at = cursor.start; at < limit; at++) if ((cursor.bytes[at] ?? 0) < 0x80) return at + 1;
  throw new MalformedMessage("truncated varint");
}

/** Bytes that `value` takes as a varint. `value` is a safe integer, not negative. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
  return length;
}

/** Writes `value` at `offset` and returns the offset behind it. `value` is a safe integer, not negative. */
export function writeVarint(target: Buffer, value: number, offset: number): number {
  let rest = value;
  let at = offset;
  while (rest >= 128) {
    target[at++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  target[at++] = rest;
  return at;
}

/** Bytes that a length-delimited field of this content length takes (field numbers up to 15). */
export function bytesFieldLength(contentLength: number): number {
  return 1 + varintLength(contentLength) + contentLength;
}

/** A length-delimited field (numbers up to 15). */
export function bytesField(number: number, content: Uint8Array): Buffer {
  const field = Buffer.allocUnsafe(bytesFieldLength(content.length));
  writeBytesField(field, number, content, 0);
  return field;
}

/** A varint field (numbers up to 15). `value` is a safe integer, not negative. */
export function numberField(number: number, value: number): Buffer {
  const field = Buffer.allocUnsafe(1 + varintLength(value));
  field[0] = (number << 3) | varintType;
  writeVarint(field, value, 1);
  return field;
}

/** Writes tag, length and content of a length-delimited field and returns the offset behind it. */
export function writeBytesField(target: Buffer, number: number, content: Uint8Array, offset: number): number {
  const start = writeFieldHead(target, number, content.length, offset);
  target.set(content, start);
  return start + content.length;
}

/** Writes tag and length of a length-delimited field and returns the offset of its content. */
export function writeFieldHead(target: Buffer, number: number, contentLength: number, offset: number): number {
  target[offset] = (number << 3) | lengthDelimitedType;
  return writeVarint(target, contentLength, offset + 1);
}

/** The text of a UUID from its two 64-bit halves, signed or unsigned. */
export function uuidOfHalves(mostSignificant: bigint, leastSignificant: bigint): string {
  const hex = [mostSignificant, leastSignificant]
    .map((half) => BigInt.asUintN(64, half).toString(16).padStart(16, "0"))
    .join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
