import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import { type ServerDuplexStream, type ServiceError, status } from "@grpc/grpc-js";
import {
  bytesField,
  cursorInto,
  cursorOver,
  fieldBytes,
  fieldNumber,
  type MessageCursor,
  nextField,
  noBytes,
  numberField,
} from "../event-log/protobuf.ts";
import { appendLimitBytes, streamNameOf, toServiceError } from "./append-call.ts";
import type { Expectation } from "./append-rules.ts";
import { invalidArgument, resourceExhausted } from "./grpc-errors.ts";
import { appendSize, type ProposedEvent, readProposedEvent } from "./proposed-event.ts";
import { DamagedEvent } from "./storage.ts";
import { AppendExpired, type AppendOutcome, DiskFull, type Writer } from "./writer.ts";

/** Maximum appends of one call whose final message has not arrived. */
const maxUnfinished = 100;
/** A call is paused while this many bytes of its appends are unanswered. */
const maxUnansweredBytes = 16 * 1024 * 1024;

/** Fields of `BatchAppendReq.Options`; the client's generated contract lacks the second. */
const instantOfDeadline = 6;
const durationToDeadline = 7;

/** An append of several messages, as far as it has arrived. */
interface Unfinished {
  readonly correlationId: Buffer;
  options: Buffer | null;
  readonly events: ProposedEvent[];
  /** Counted towards the maximum append size; events beyond it are dropped. */
  size: number;
  /** Why it is invalid; null when no fault was found. */
  fault: string | null;
  /** `Date.now()` when its first message arrived. */
  readonly receivedAt: number;
}

interface Message {
  readonly correlationId: Buffer;
  readonly options: Buffer | null;
  readonly events: readonly ProposedEvent[];
  readonly fault: string | null;
  readonly isFinal: boolean;
}

type BatchAppendCall = ServerDuplexStream<Buffer, Buffer>;

/**
 * `BatchAppend`: any number of appends over one call, each in one or several messages, with a response each once they
 * are decided and on disk. Requests and responses are bytes. An invalid append is refused alone, and one whose deadline
 * has passed before it is decided writes nothing.
 */
export function batchAppendCall(writer: Writer) {
  return (call: BatchAppendCall): void => serveAppends(writer, call);
}

function serveAppends(writer: Writer, call: BatchAppendCall): void {
  const unfinished = new Map<string, Unfinished>();
  let unanswered = 0;
  let unansweredBytes = 0;
  let isOver = false;

  function fail(error: ServiceError): void {
    if (isOver) return;
    isOver = true;
    call.emit("error", error);
  }

  function endWhenAnswered(): void {
    if (isOver || unanswered > 0 || !call.readableEnded) return;
    isOver = true;
    call.end();
  }

  async function decide(append: Unfinished): Promise<Buffer> {
    const { correlationId, events, size } = append;
    const target = targetOf(append);
    const request = { correlationId, stream: target.stream };
    if ("fault" in target) return refusedResponse(request, { kind: "bad_request", fault: target.fault });
    const { stream, expected, expiresAt } = target;
    if (Date.now() > expiresAt) return refusedResponse(request, { kind: "expired" });
    if (size > appendLimitBytes) return refusedResponse(request, { kind: "too_large" });
    try {
      const decided = await writer.append(stream, expected, events, expiresAt);
      if (decided.kind === "appended") return appendedResponse(request, decided);
      return refusedResponse(request, decided.kind === "stream_closed" ? decided : { ...decided, expected });
    } catch (error) {
      if (error instanceof AppendExpired) return refusedResponse(request, { kind: "expired" });
      if (error instanceof DiskFull) return refusedResponse(request, { kind: "disk_full", reason: error.message });
      if (error instanceof DamagedEvent) return refusedResponse(request, { kind: "damaged", reason: error.message });
      throw error;
    }
  }

  async function respond(append: Unfinished): Promise<void> {
    unanswered += 1;
    unansweredBytes += append.size;
    if (unansweredBytes >= maxUnansweredBytes) call.pause();
    try {
      const response = await decide(append);
      if (!isOver) call.write(response);
    } catch (error) {
      fail(toServiceError(error));
    }
    unanswered -= 1;
    unansweredBytes -= append.size;
    if (unansweredBytes < maxUnansweredBytes) call.resume();
    endWhenAnswered();
  }

  function receive(bytes: Buffer): void {
    const { correlationId, options, events, fault, isFinal } = readBatchAppend(bytes);
    const key = correlationId.toString("latin1");
    const begun = { correlationId, options, events: [], size: 0, fault: null, receivedAt: Date.now() };
    const append: Unfinished = unfinished.get(key) ?? begun;
    append.options ??= options;
    append.fault ??= fault;
    for (const event of events) {
      append.size += appendSize(event);
      if (append.size <= appendLimitBytes) append.events.push(event);
    }
    if (isFinal) {
      unfinished.delete(key);
      void respond(append);
      return;
    }
    unfinished.set(key, append);
    if (unfinished.size > maxUnfinished) throw resourceExhausted(`more than ${maxUnfinished} appends are unfinished`);
  }

  call.on("data", (bytes: Buffer) => {
    if (isOver) return;
    try {
      receive(bytes);
    } catch (error) {
      fail(toServiceError(error));
    }
  });
  call.on("error", () => {
    isOver = true;
  });
  call.on("cancelled", () => {
    isOver = true;
  });
  call.on("end", endWhenAnswered);
}

/** Reads `BatchAppendReq`, with the fault of its first invalid event. Throws `MalformedMessage`. */
function readBatchAppend(bytes: Buffer): Message {
  const cursor = cursorOver(bytes);
  const events: ProposedEvent[] = [];
  let correlationId: Buffer | null = null;
  let options: Buffer | null = null;
  let fault: string | null = null;
  let isFinal = false;
  while (nextField(cursor)) {
    if (cursor.field === 1) correlationId = fieldBytes(cursor);
    else if (cursor.field === 2) options = fieldBytes(cursor);
    else if (cursor.field === 3) fault ??= addEvent(events, fieldBytes(cursor));
    else if (cursor.field === 4) isFinal = fieldNumber(cursor) !== 0;
  }
  if (correlationId === null) throw invalidArgument("a message must name its append");
  return { correlationId, options, events, fault, isFinal };
}

/** Why the event is invalid; null when it was added. */
function addEvent(events: ProposedEvent[], message: Buffer): string | null {
  try {
    events.push(readProposedEvent(message));
    return null;
  } catch (error) {
    return toServiceError(error).details;
  }
}

type Target =
  | { readonly stream: string; readonly expected: Expectation; readonly expiresAt: number }
  | { readonly stream: string; readonly fault: string };

function targetOf({ options: bytes, fault, receivedAt }: Unfinished): Target {
  let stream = "";
  try {
    const options = streams.BatchAppendReq.Options.deserializeBinary(bytes ?? noBytes);
    stream = streamNameOf(options.getStreamIdentifier());
    if (fault !== null) return { stream, fault };
    return { stream, expected: expectationOf(options), expiresAt: expiresAt(bytes ?? noBytes, receivedAt) };
  } catch (error) {
    return { stream, fault: fault ?? toServiceError(error).details };
  }
}

function expectationOf(options: streams.BatchAppendReq.Options): Expectation {
  if (options.hasNoStream()) return "no_stream";
  if (options.hasStreamExists()) return "stream_exists";
  if (options.hasStreamPosition()) return Math.min(Number(options.getStreamPosition()), Number.MAX_SAFE_INTEGER);
  if (options.hasAny()) return "any";
  throw invalidArgument("the expected revision of the stream is missing");
}

/** The deadline as `Date.now()` counts: clients name an instant or, from 21.10 on, a duration. */
function expiresAt(options: Buffer, receivedAt: number): number {
  const cursor = cursorOver(options);
  while (nextField(cursor)) {
    if (cursor.field === instantOfDeadline) return milliseconds(cursorInto(cursor));
    if (cursor.field === durationToDeadline) return receivedAt + milliseconds(cursorInto(cursor));
  }
  return Infinity;
}

/** Reads a `Timestamp` or a `Duration`, which have the same fields. */
function milliseconds(cursor: MessageCursor): number {
  let ms = 0;
  while (nextField(cursor)) ms += cursor.field === 1 ? fieldNumber(cursor) * 1_000 : fieldNumber(cursor) / 1_000_000;
  return ms;
}

/** The append that a response belongs to. */
interface IdentifiedAppend {
  /** The `UUID` message that it was sent with. */
  readonly correlationId: Buffer;
  readonly stream: string;
}

type AppendRefusal =
  | { readonly kind: "wrong_expected_revision"; readonly expected: Expectation; readonly lastRevision: number }
  | { readonly kind: "stream_closed" }
  | { readonly kind: "too_large" }
  | { readonly kind: "expired" }
  | { readonly kind: "disk_full" | "damaged"; readonly reason: string }
  | { readonly kind: "bad_request"; readonly fault: string };

/** `BatchAppendResp { success { current_revision | no_stream, position } }` */
function appendedResponse(
  append: IdentifiedAppend,
  { revision, position }: Extract<AppendOutcome, { kind: "appended" }>,
): Buffer {
  const place = bytesField(3, Buffer.concat([numberField(1, position), numberField(2, position)]));
  const success = Buffer.concat([revision < 0 ? bytesField(2, noBytes) : numberField(1, revision), place]);
  return response(append, bytesField(3, success));
}

/** `BatchAppendResp { error { code, message, details } }`, with the types of details that EventStoreDB sends. */
function refusedResponse(append: IdentifiedAppend, refusal: AppendRefusal): Buffer {
  const { code, message, type, details } = described(append.stream, refusal);
  const any = Buffer.concat([
    bytesField(1, Buffer.from(`type.googleapis.com/event_store.client.${type}`)),
    bytesField(2, details),
  ]);
  const error = Buffer.concat([numberField(1, code), bytesField(2, Buffer.from(message)), bytesField(3, any)]);
  return response(append, bytesField(2, error));
}

function response({ correlationId, stream }: IdentifiedAppend, result: Buffer): Buffer {
  const identifier = bytesField(4, bytesField(3, Buffer.from(stream)));
  return Buffer.concat([bytesField(1, correlationId), result, identifier]);
}

function described(stream: string, refusal: AppendRefusal) {
  switch (refusal.kind) {
    case "wrong_expected_revision": {
      const details = wrongExpectedVersion(refusal.expected, refusal.lastRevision).serializeBinary();
      const message = `Append failed due to WrongExpectedVersion. Stream: ${stream}`;
      return { code: status.FAILED_PRECONDITION, message, type: "WrongExpectedVersion", details };
    }
    case "stream_closed": {
      const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
      const details = new shared.StreamDeleted().setStreamIdentifier(identifier).serializeBinary();
      const message = `Event stream '${stream}' is deleted.`;
      return { code: status.FAILED_PRECONDITION, message, type: "StreamDeleted", details };
    }
    case "too_large": {
      const details = new shared.MaximumAppendSizeExceeded().setMaxappendsize(appendLimitBytes).serializeBinary();
      const message = `Maximum Append Size of ${appendLimitBytes} Exceeded.`;
      return { code: status.INVALID_ARGUMENT, message, type: "MaximumAppendSizeExceeded", details };
    }
    case "expired": {
      const details = new shared.Timeout().serializeBinary();
      return { code: status.DEADLINE_EXCEEDED, message: "Timeout", type: "Timeout", details };
    }
    case "disk_full":
    case "damaged": {
      const details = new shared.Unknown().serializeBinary();
      const code = refusal.kind === "damaged" ? status.DATA_LOSS : status.RESOURCE_EXHAUSTED;
      return { code, message: refusal.reason, type: "Unknown", details };
    }
    case "bad_request": {
      const details = new shared.BadRequest().setMessage(refusal.fault).serializeBinary();
      return { code: status.INVALID_ARGUMENT, message: refusal.fault, type: "BadRequest", details };
    }
  }
}

function wrongExpectedVersion(expected: Expectation, lastRevision: number): shared.WrongExpectedVersion {
  const wrong = new shared.WrongExpectedVersion();
  const empty = new shared.Empty();
  if (lastRevision < 0) wrong.setCurrentNoStream(empty);
  else wrong.setCurrentStreamRevision(String(lastRevision));
  if (expected === "any") return wrong.setExpectedAny(empty);
  if (expected === "stream_exists") return wrong.setExpectedStreamExists(empty);
  if (expected === "no_stream") return wrong.setExpectedNoStream(empty);
  return wrong.setExpectedStreamPosition(String(expected));
}
