import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import {
  bytesField,
  bytesFieldLength,
  numberField,
  varintLength,
  writeFieldHead,
  writeVarint,
} from "../event-log/protobuf.ts";
import { firstReadableRevision } from "./pages.ts";
import type { Replica } from "./replicas.ts";
import { type EncodedEvent, storedEventData, storedEventId, storedEventType, withoutId } from "./stored-event.ts";

/** Messages of a `Read` call, as bytes. */

const linkType = Buffer.from("$>");

/** Returns the response message with a stored event. */
export type EventResponses = (event: EncodedEvent) => Buffer;

interface ResponseOptions {
  /** Ids as text, else as two integers. */
  readonly textIds: boolean;
  /** A link is sent with the event that it points to, if that exists. */
  readonly resolveLinks: boolean;
}

/** Stored events are framed by hand around the bytes that were stored. */
export function eventResponses(replica: Replica, { textIds, resolveLinks }: ResponseOptions): EventResponses {
  const withIds = (bytes: Buffer): Buffer => (textIds ? bytes : withStructuredId(bytes));
  return ({ position, bytes }) => {
    if (!resolveLinks || !storedEventType(bytes).equals(linkType)) return eventResponse(withIds(bytes), position);
    const target = linkTarget(replica, bytes);
    return linkResponse(target && withIds(target), withIds(bytes), position);
  };
}

/** The event that a link points to by its data, `revision@stream`; null when there is none. */
function linkTarget({ storage, head }: Replica, link: Buffer): Buffer | null {
  const [, revision, name] = /^(\d{1,15})@(.+)$/.exec(storedEventData(link).toString()) ?? [];
  const state = name === undefined ? null : storage.stream(name, head());
  if (state === null || state.tombstone !== null || Number(revision) > state.lastRevision) return null;
  if (Number(revision) < firstReadableRevision(storage, state)) return null;
  return storage.event(storage.positionOf(state.number, Number(revision)));
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

/** `ReadResp { event: ReadEvent { event, commit_position } }` */
export function eventResponse(event: Buffer, position: number): Buffer {
  const readEventLength = bytesFieldLength(event.length) + 1 + varintLength(position);
  const target = Buffer.allocUnsafe(bytesFieldLength(readEventLength));
  let at = writeFieldHead(target, 1, event.length, writeFieldHead(target, 1, readEventLength, 0));
  at += event.copy(target, at);
  target[at] = 0x18;
  writeVarint(target, position, at + 1);
  return target;
}

/** `ReadResp { event: ReadEvent { event, link, commit_position } }`; without `event` when the link is broken. */
function linkResponse(event: Buffer | null, link: Buffer, position: number): Buffer {
  const resolved = event === null ? [] : [bytesField(1, event)];
  return bytesField(1, Buffer.concat([...resolved, bytesField(2, link), numberField(3, position)]));
}

function withStructuredId(bytes: Buffer): Buffer {
  const hex = storedEventId(bytes).replaceAll("-", "");
  const structured = new shared.UUID.Structured();
  structured.setMostSignificantBits(signed(hex.slice(0, 16))).setLeastSignificantBits(signed(hex.slice(16)));
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent().setId(new shared.UUID().setStructured(structured));
  return Buffer.concat([recorded.serializeBinary(), withoutId(bytes)]);
}

function signed(hex: string): string {
  return BigInt.asIntN(64, BigInt(`0x${hex}`)).toString();
}
