/** One field of a protobuf message: a number for varints, a slice of the message (no copy) for everything with a length. */
export interface ProtobufField {
  readonly number: number;
  readonly varint: bigint | null;
  readonly bytes: Buffer;
}

/** The bytes are not a protobuf message of the kind that was expected. */
export class MalformedMessage extends Error {
  override readonly name: string = "MalformedMessage";
}

const NO_BYTES = Buffer.alloc(0);
const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/** Walks through the fields of one message in the order in which they were written. Throws {@link MalformedMessage}. */
export function* protobufFields(message: Buffer): Generator<ProtobufField> {
  let offset = 0;
  while (offset < message.length) {
    const tag = readVarint(message, offset);
    offset = tag.end;
    const number = tag.value >>> 3;
    const wireType = tag.value & 7;
    if (wireType === VARINT) {
      const value = readLongVarint(message, offset);
      offset = value.end;
      yield { number, varint: value.value, bytes: NO_BYTES };
      continue;
    }
    let length: number;
    if (wireType === LENGTH_DELIMITED) {
      const prefix = readVarint(message, offset);
      offset = prefix.end;
      length = prefix.value;
    } else if (wireType === FIXED64) length = 8;
    else if (wireType === FIXED32) length = 4;
    else throw new MalformedMessage(`unknown wire type ${wireType}`);
    if (offset + length > message.length) throw new MalformedMessage("a field reaches beyond its message");
    yield { number, varint: null, bytes: message.subarray(offset, offset + length) };
    offset += length;
  }
}

/** Reads a varint of at most 32 bits: tags and lengths. */
export function readVarint(bytes: Buffer, offset: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let multiplier = 1;
  for (let at = offset; at < offset + 5; at++) {
    const byte = bytes[at];
    if (byte === undefined) break;
    value += (byte & 0x7f) * multiplier;
    if (byte < 0x80) return { value, end: at + 1 };
    multiplier *= 128;
  }
  throw new MalformedMessage("truncated varint");
}

function readLongVarint(bytes: Buffer, offset: number): { readonly value: bigint; readonly end: number } {
  let value = 0n;
  let shift = 0n;
  for (let at = offset; at < offset + 10; at++) {
    const byte = bytes[at];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return { value, end: at + 1 };
    shift += 7n;
  }
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

/** Writes tag, length and content of a length-delimited field and returns the offset behind it. */
export function writeBytesField(target: Buffer, number: number, content: Uint8Array, offset: number): number {
  target[offset] = (number << 3) | LENGTH_DELIMITED;
  const start = writeVarint(target, content.length, offset + 1);
  target.set(content, start);
  return start + content.length;
}

/** Bytes that a length-delimited field of this content length takes (field numbers up to 15). */
export function bytesFieldLength(contentLength: number): number {
  return 1 + varintLength(contentLength) + contentLength;
}
