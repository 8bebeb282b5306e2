import { randomUUID } from "node:crypto";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { ServerReadableStream, ServerUnaryCall, ServiceError, sendUnaryData } from "@grpc/grpc-js";
import { cursorOver, fieldBytes, MalformedMessage, nextField } from "../event-log/protobuf.ts";
import type { Expectation } from "./append-rules.ts";
import {
  cancelled,
  internal,
  invalidArgument,
  isServiceError,
  maximumAppendSizeExceeded,
  resourceExhausted,
  streamDeleted,
  unimplemented,
  wrongExpectedVersion,
} from "./grpc-errors.ts";
import { appendSize, type ProposedEvent, readProposedEvent } from "./proposed-event.ts";
import { describedStream } from "./stream-metadata.ts";
import { DiskFull, type Writer } from "./writer.ts";

/** Bytes of one append: the default limit of EventStoreDB, and of KurrentDB up to 25.0. */
export const appendLimitBytes = 1024 * 1024;

interface Target {
  readonly stream: string;
  readonly expected: Expectation;
}

/** `Append`: the first message names stream and expected revision, each further one is an event. Messages are bytes. */
export function appendCall(writer: Writer) {
  return (
    call: ServerReadableStream<Buffer, streams.AppendResp>,
    callback: sendUnaryData<streams.AppendResp>,
  ): void => {
    const append = async () => {
      const { stream, expected, events } = await receivedAppend(call);
      const decided = await writer.append(stream, expected, events);
      if (decided.kind === "stream_closed") throw streamDeleted(stream);
      const response = new streams.AppendResp();
      if (decided.kind === "appended") return response.setSuccess(successOf(decided.revision, decided.position));
      return response.setWrongExpectedVersion(wrongExpectedVersionOf(expected, decided.lastRevision));
    };
    respond(append(), callback);
  };
}

/** `Tombstone`: closes a stream for ever. */
export function tombstoneCall(writer: Writer) {
  return (
    call: ServerUnaryCall<streams.TombstoneReq, streams.TombstoneResp>,
    callback: sendUnaryData<streams.TombstoneResp>,
  ): void => {
    const close = async () => {
      const closed = await removed(call.request.getOptions(), (...target) => writer.tombstone(...target));
      const position = new streams.TombstoneResp.Position().setCommitPosition(closed).setPreparePosition(closed);
      return new streams.TombstoneResp().setPosition(position);
    };
    respond(close(), callback);
  };
}

/** `Delete`: deletes a stream until the next append. */
export function deleteCall(writer: Writer) {
  return (
    call: ServerUnaryCall<streams.DeleteReq, streams.DeleteResp>,
    callback: sendUnaryData<streams.DeleteResp>,
  ): void => {
    const remove = async () => {
      const deleted = await removed(call.request.getOptions(), (...target) => writer.delete(...target));
      const position = new streams.DeleteResp.Position().setCommitPosition(deleted).setPreparePosition(deleted);
      return new streams.DeleteResp().setPosition(position);
    };
    respond(remove(), callback);
  };
}

type RemovalOptions = streams.TombstoneReq.Options | streams.DeleteReq.Options;

/** Closes or deletes a stream; returns the position of that event as text. Throws a `ServiceError`. */
async function removed(options: RemovalOptions | undefined, remove: Writer["delete"]): Promise<string> {
  if (!options) throw invalidArgument("options are missing");
  const { stream, expected } = targetOf(options);
  if (describedStream(stream) !== null) throw unimplemented("metadata of a stream cannot be deleted, only replaced");
  const decided = await remove(stream, expected, randomUUID());
  if (decided.kind === "stream_closed") throw streamDeleted(stream);
  if (decided.kind === "wrong_expected_revision") throw wrongExpectedVersion(stream, expected, decided.lastRevision);
  return String(decided.position);
}

function respond<Response>(outcome: Promise<Response>, callback: sendUnaryData<Response>): void {
  outcome.then(
    (response) => callback(null, response),
    (error) => callback(toServiceError(error)),
  );
}

/** Collects the whole request; rejects at the first malformed message, or when the append exceeds the maximum size. */
function receivedAppend(
  call: ServerReadableStream<Buffer, streams.AppendResp>,
): Promise<Target & { readonly events: readonly ProposedEvent[] }> {
  return new Promise((resolve, reject) => {
    const events: ProposedEvent[] = [];
    let target: Target | null = null;
    let size = 0;
    let over = false;
    const fail = (error: unknown) => {
      over = true;
      reject(error);
    };
    const receive = (message: Buffer) => {
      const cursor = cursorOver(message);
      while (nextField(cursor)) {
        if (cursor.field === 1) target = targetOf(streams.AppendReq.Options.deserializeBinary(fieldBytes(cursor)));
        if (cursor.field !== 2) continue;
        const event = readProposedEvent(fieldBytes(cursor));
        size += appendSize(event);
        if (size > appendLimitBytes) throw maximumAppendSizeExceeded(appendLimitBytes);
        events.push(event);
      }
    };
    call.on("data", (message: Buffer) => {
      if (over) return;
      try {
        receive(message);
      } catch (error) {
        fail(error);
      }
    });
    call.on("error", fail);
    call.on("cancelled", () => {
      if (!over) fail(cancelled());
    });
    call.on("end", () => {
      over = true;
      if (target === null) fail(invalidArgument("the first message must hold the options"));
      else resolve({ ...target, events });
    });
  });
}

function targetOf(options: streams.AppendReq.Options | RemovalOptions): Target {
  return { stream: streamNameOf(options.getStreamIdentifier()), expected: expectationOf(options) };
}

/** Throws a `ServiceError` for a stream that does not accept appends. */
export function streamNameOf(identifier: shared.StreamIdentifier | undefined): string {
  const stream = Buffer.from(identifier?.getStreamName_asU8() ?? []).toString("utf8");
  if (stream === "" || describedStream(stream) === "") throw invalidArgument("the name of the stream is empty");
  return stream;
}

function expectationOf(options: streams.AppendReq.Options | RemovalOptions): Expectation {
  if (options.hasNoStream()) return "no_stream";
  if (options.hasStreamExists()) return "stream_exists";
  if (options.hasRevision()) return Math.min(Number(options.getRevision()), Number.MAX_SAFE_INTEGER);
  return "any";
}

function successOf(revision: number, position: number): streams.AppendResp.Success {
  const success = new streams.AppendResp.Success();
  if (revision < 0) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(String(revision));
  const place = new streams.AppendResp.Position();
  return success.setPosition(place.setCommitPosition(String(position)).setPreparePosition(String(position)));
}

/** With the fields that clients of version 20.6 read as well. */
function wrongExpectedVersionOf(expected: Expectation, lastRevision: number): streams.AppendResp.WrongExpectedVersion {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  const empty = new shared.Empty();
  if (lastRevision < 0) wrong.setCurrentNoStream(empty).setNoStream2060(empty);
  else wrong.setCurrentRevision(String(lastRevision)).setCurrentRevision2060(lastRevision);
  if (expected === "any") return wrong.setExpectedAny(empty).setAny2060(empty);
  if (expected === "stream_exists") return wrong.setExpectedStreamExists(empty).setStreamExists2060(empty);
  if (expected === "no_stream") return wrong.setExpectedNoStream(empty);
  return wrong.setExpectedRevision(String(expected)).setExpectedRevision2060(expected);
}

/** The error that ends a failed call. */
export function toServiceError(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  if (error instanceof MalformedMessage) return invalidArgument(error.message);
  if (error instanceof DiskFull) return resourceExhausted(error.message);
  return internal(error);
}
