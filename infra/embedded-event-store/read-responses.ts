import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import { bytesFieldLength, varintLength, writeFieldHead, writeVarint } from "../event-log/protobuf.ts";
import { type StoredEvent, storedEventId, withoutId } from "./stored-event.ts";

/** Messages of a `Read` call, as bytes. */

/** A stored event, framed by hand around the bytes that were stored. `textIds`: ids as text, else as two integers. */
export function eventResponse({ position, bytes }: StoredEvent, textIds: boolean): Buffer {
  return textIds ? framed([bytes], bytes.length, position) : withStructuredId(bytes, position);
}

export function confirmationResponse(subscriptionId: string): Buffer {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation();
  return encoded(new streams.ReadResp().setConfirmation(confirmation.setSubscriptionId(subscriptionId)));
}

export function checkpointResponse(position: number): Buffer {
  const checkpoint = new streams.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(String(position)).setPreparePosition(String(position));
  return encoded(new streams.ReadResp().setCheckpoint(checkpoint));
}

export function caughtUpResponse(): Buffer {
  return encoded(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
}

export function streamNotFoundResponse(stream: string): Buffer {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
  const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifier);
  return encoded(new streams.ReadResp().setStreamNotFound(notFound));
}

function encoded(response: streams.ReadResp): Buffer {
  return Buffer.from(response.serializeBinary());
}

/** `ReadResp { event: ReadEvent { event: parts, commit_position } }` */
function framed(parts: readonly Buffer[], length: number, position: number): Buffer {
  const readEventLength = bytesFieldLength(length) + 1 + varintLength(position);
  const target = Buffer.allocUnsafe(bytesFieldLength(readEventLength));
  let at = writeFieldHead(target, 1, length, writeFieldHead(target, 1, readEventLength, 0));
  for (const part of parts) at += part.copy(target, at);
  target[at] = 0x18;
  writeVarint(target, position, at + 1);
  return target;
}

function withStructuredId(bytes: Buffer, position: number): Buffer {
  const hex = storedEventId(bytes).replaceAll("-", "");
  const structured = new shared.UUID.Structured();
  structured.setMostSignificantBits(signed(hex.slice(0, 16))).setLeastSignificantBits(signed(hex.slice(16)));
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent().setId(new shared.UUID().setStructured(structured));
  const id = Buffer.from(recorded.serializeBinary());
  const rest = withoutId(bytes);
  return framed([id, rest], id.length + rest.length, position);
}

function signed(hex: string): string {
  return BigInt.asIntN(64, BigInt(`0x${hex}`)).toString();
}
