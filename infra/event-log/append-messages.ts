import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import { encodeContent } from "./codec.ts";
import { AppendTooLarge, type EventToAppend, type ExpectedRevision } from "./event-log.ts";
import { joinedMessages } from "./joined-messages.ts";
import { bytesFieldLength, writeBytesField, writeFieldHead } from "./protobuf.ts";

/** Bytes of one append that every server takes (EventStoreDB up to 24.6 has no higher limit). */
export const MAXIMUM_APPEND_SIZE = 1024 * 1024;
export const MAXIMUM_EVENTS = 500;

const TYPE_KEY = Buffer.from("type");
const CONTENT_TYPE_KEY = Buffer.from("content-type");
const JSON_CONTENT = Buffer.from("application/json");
const BINARY_CONTENT = Buffer.from("application/octet-stream");
const UUID_LENGTH = 36;

/**
 * One append call: what is expected of the stream, then one message per event, joined. Written by hand, as the
 * client's own way through base64 takes three times as long. Throws {@link AppendTooLarge}.
 */
export function appendMessages(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Buffer {
  if (events.length === 0 || events.length > MAXIMUM_EVENTS)
    throw new RangeError(`an append has 1 to ${MAXIMUM_EVENTS} events, not ${events.length}`);
  const messages: Buffer[] = [];
  let size = 0;
  for (const event of events) {
    const { isJson, data, metadata } = encodeContent(event);
    size += data.length + metadata.length + event.type.length * 2;
    if (size > MAXIMUM_APPEND_SIZE)
      throw new AppendTooLarge(`an append to ${stream} is larger than ${MAXIMUM_APPEND_SIZE} bytes`);
    messages.push(proposedMessage(event, isJson ? JSON_CONTENT : BINARY_CONTENT, data, metadata));
  }
  return joinedMessages(optionsMessage(stream, expected), messages);
}

function optionsMessage(stream: string, expected: ExpectedRevision): Buffer {
  const options = new streams.AppendReq.Options();
  options.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)));
  if (expected === "no_stream") options.setNoStream(new shared.Empty());
  else options.setRevision(expected.toString());
  return Buffer.from(new streams.AppendReq().setOptions(options).serializeBinary());
}

/** `AppendReq { proposed_message: { id, metadata map, custom metadata, data } }` */
function proposedMessage(event: EventToAppend, contentType: Buffer, data: Uint8Array, metadata: Buffer): Buffer {
  if (event.id.length !== UUID_LENGTH) throw new RangeError(`"${event.id}" is not a UUID`);
  const type = Buffer.from(event.type);
  const length =
    bytesFieldLength(bytesFieldLength(UUID_LENGTH)) +
    bytesFieldLength(entryLength(TYPE_KEY, type)) +
    bytesFieldLength(entryLength(CONTENT_TYPE_KEY, contentType)) +
    bytesFieldLength(metadata.length) +
    bytesFieldLength(data.length);
  const target = Buffer.allocUnsafe(bytesFieldLength(length));
  let at = writeFieldHead(target, 2, length, 0);
  at = writeFieldHead(target, 1, bytesFieldLength(UUID_LENGTH), at);
  at = writeFieldHead(target, 2, UUID_LENGTH, at);
  at += target.write(event.id, at, "latin1");
  at = writeEntry(target, TYPE_KEY, type, at);
  at = writeEntry(target, CONTENT_TYPE_KEY, contentType, at);
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
