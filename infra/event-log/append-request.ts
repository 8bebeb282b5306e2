import { randomUUID } from "node:crypto";
import type { EncodedEvent } from "./codec.ts";
import { AppendTooLarge, type ExpectedRevision, maxAppendEvents } from "./event-log.ts";
import { bytesField, bytesFieldLength, noBytes, numberField, writeBytesField, writeFieldHead } from "./protobuf.ts";

/** Maximum bytes of one append on EventStoreDB and KurrentDB up to 25.0 by default. */
export const maxAppendBytes = 1024 * 1024;

/** An encoded append; its response carries the same correlation id. */
export interface AppendRequest {
  readonly correlationId: string;
  readonly bytes: Buffer;
}

const typeKey = Buffer.from("type");
const contentTypeKey = Buffer.from("content-type");
const jsonContent = Buffer.from("application/json");
const binaryContent = Buffer.from("application/octet-stream");
const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const uuidLength = 36;

/**
 * Encodes a whole append as one `BatchAppendReq`, by hand: the generated classes, through base64, take three times as
 * long. Throws {@link AppendTooLarge}.
 */
export function appendRequest(
  stream: string,
  expected: ExpectedRevision,
  events: readonly EncodedEvent[],
  deadlineMs: number,
): AppendRequest {
  if (events.length === 0 || events.length > maxAppendEvents)
    throw new RangeError(`an append has 1 to ${maxAppendEvents} events, not ${events.length}`);
  const correlationId = randomUUID();
  const parts = [requestHead(correlationId, stream, expected, deadlineMs)];
  let size = 0;
  for (const event of events) {
    size += appendSize(event);
    if (size > maxAppendBytes)
      throw new AppendTooLarge(`an append to ${stream} is larger than ${maxAppendBytes} bytes`);
    parts.push(proposedMessage(event));
  }
  return { correlationId, bytes: Buffer.concat(parts) };
}

/** Bytes that a server counts towards {@link maxAppendBytes}. */
export function appendSize({ data, metadata, type }: EncodedEvent): number {
  return data.length + metadata.length + type.length * 2;
}

/** `BatchAppendReq { correlation_id, options { stream_identifier, expected, deadline }, is_final }` */
function requestHead(correlationId: string, stream: string, expected: ExpectedRevision, deadlineMs: number): Buffer {
  const options = Buffer.concat([
    bytesField(1, bytesField(3, Buffer.from(stream))),
    expected === "no_stream" ? bytesField(3, noBytes) : numberField(2, Number(expected)),
    // A duration: the older field, an instant, would depend on the clock of another machine.
    bytesField(7, numberField(1, Math.ceil(deadlineMs / 1000))),
  ]);
  return Buffer.concat([
    bytesField(1, bytesField(2, Buffer.from(correlationId))),
    bytesField(2, options),
    numberField(4, 1),
  ]);
}

/** `BatchAppendReq { proposed_messages { id, metadata map, custom metadata, data } }` */
function proposedMessage(event: EncodedEvent): Buffer {
  const { data, metadata } = event;
  const contentType = event.isJson ? jsonContent : binaryContent;
  // A server can end the call, with all pending appends, for an invalid id.
  if (!uuidPattern.test(event.id)) throw new RangeError(`"${event.id}" is not a UUID`);
  const type = Buffer.from(event.type);
  const length =
    bytesFieldLength(bytesFieldLength(uuidLength)) +
    bytesFieldLength(entryLength(typeKey, type)) +
    bytesFieldLength(entryLength(contentTypeKey, contentType)) +
    bytesFieldLength(metadata.length) +
    bytesFieldLength(data.length);
  const target = Buffer.allocUnsafe(bytesFieldLength(length));
  let at = writeFieldHead(target, 3, length, 0);
  at = writeFieldHead(target, 1, bytesFieldLength(uuidLength), at);
  at = writeFieldHead(target, 2, uuidLength, at);
  at += target.write(event.id, at, "latin1");
  at = writeEntry(target, typeKey, type, at);
  at = writeEntry(target, contentTypeKey, contentType, at);
  at = writeBytesField(target, 3, metadata, at);
  writeBytesField(target, 4, data, at);
  return target;
}

function entryLength(key: Buffer, value: Buffer): number {
  return bytesFieldLength(key.length) + bytesFieldLength(value.length);
}

function writeEntry(target: Buffer, key: Buffer, value: Buffer, offset: number): number {
  const start = writeFieldHead(target, 2, entryLength(key, value), offset);
  return writeBytesField(target, 2, value, writeBytesField(target, 1, key, start));
}
