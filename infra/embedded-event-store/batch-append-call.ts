import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { ServerDuplexStream, ServiceError } from "@grpc/grpc-js";
import { cursorOver, fieldBytes, fieldNumber, nextField } from "../event-log/protobuf.ts";
import { MAXIMUM_APPEND_SIZE, streamNameOf, toServiceError } from "./append-calls.ts";
import type { Expectation } from "./append-rules.ts";
import { appendedResponse, refusedResponse } from "./batch-append-responses.ts";
import type { Authenticate } from "./credentials.ts";
import { appendSize, type ProposedEvent, readProposedEvent } from "./proposed-event.ts";
import { invalidArgument, resourceExhausted } from "./statuses.ts";
import type { Writer } from "./writer.ts";

/** Appends of which the last message has not come, in one call. */
const MOST_UNFINISHED = 100;
/** Bytes of appends that are not answered yet, in one call; it is read on when there are fewer. */
const ENOUGH_BYTES = 16 * 1024 * 1024;

/** An append that comes in several messages, as far as it has come. */
interface Unfinished {
  readonly correlationId: Buffer;
  options: Buffer | null;
  readonly events: ProposedEvent[];
  /** What counts towards the maximum append size; beyond it, events are no longer kept. */
  size: number;
}

interface Message {
  readonly correlationId: Buffer;
  readonly options: Buffer | null;
  readonly events: readonly ProposedEvent[];
  readonly isFinal: boolean;
}

type BatchAppendCall = ServerDuplexStream<Buffer, Buffer>;

/**
 * `BatchAppend`: any number of appends over one call, each in one message or several, answered one by one when they are
 * decided and on disk. Messages come and go as bytes. The deadline that a client names is its own to keep: an append
 * here is decided at once.
 */
export function batchAppendCall(writer: Writer, authenticate: Authenticate) {
  return (call: BatchAppendCall): void => {
    const refusal = authenticate(call.metadata);
    if (refusal) call.emit("error", refusal);
    else serveAppends(writer, call);
  };
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
    const options = streams.BatchAppendReq.Options.deserializeBinary(append.options ?? Buffer.alloc(0));
    const stream = streamNameOf(options.getStreamIdentifier());
    const request = { correlationId, stream };
    if (size > MAXIMUM_APPEND_SIZE) return refusedResponse(request, { kind: "too_large", most: MAXIMUM_APPEND_SIZE });
    const expected = expectationOf(options);
    const decided = await writer.append(stream, expected, events);
    if (decided.kind === "appended") return appendedResponse(request, decided);
    return refusedResponse(request, decided.kind === "stream_closed" ? decided : { ...decided, expected });
  }

  async function answer(append: Unfinished): Promise<void> {
    unanswered += 1;
    unansweredBytes += append.size;
    if (unansweredBytes >= ENOUGH_BYTES) call.pause();
    try {
      const response = await decide(append);
      if (!isOver) call.write(response);
    } catch (error) {
      fail(toServiceError(error));
    }
    unanswered -= 1;
    unansweredBytes -= append.size;
    if (unansweredBytes < ENOUGH_BYTES) call.resume();
    endWhenAnswered();
  }

  function receive(bytes: Buffer): void {
    const { correlationId, options, events, isFinal } = readBatchAppend(bytes);
    const key = correlationId.toString("latin1");
    const append = unfinished.get(key) ?? { correlationId, options, events: [], size: 0 };
    append.options ??= options;
    for (const event of events) {
      append.size += appendSize(event);
      if (append.size <= MAXIMUM_APPEND_SIZE) append.events.push(event);
    }
    if (isFinal) {
      unfinished.delete(key);
      void answer(append);
      return;
    }
    unfinished.set(key, append);
    if (unfinished.size > MOST_UNFINISHED)
      throw resourceExhausted(`more than ${MOST_UNFINISHED} appends are unfinished`);
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

/** Reads `BatchAppendReq`; throws `MalformedMessage`. */
function readBatchAppend(bytes: Buffer): Message {
  const cursor = cursorOver(bytes);
  const events: ProposedEvent[] = [];
  let correlationId: Buffer | null = null;
  let options: Buffer | null = null;
  let isFinal = false;
  while (nextField(cursor)) {
    if (cursor.field === 1) correlationId = fieldBytes(cursor);
    else if (cursor.field === 2) options = fieldBytes(cursor);
    else if (cursor.field === 3) events.push(readProposedEvent(fieldBytes(cursor)));
    else if (cursor.field === 4) isFinal = fieldNumber(cursor) !== 0;
  }
  if (correlationId === null) throw invalidArgument("a message must name its append");
  return { correlationId, options, events, isFinal };
}

function expectationOf(options: streams.BatchAppendReq.Options): Expectation {
  if (options.hasNoStream()) return "no_stream";
  if (options.hasStreamExists()) return "stream_exists";
  if (options.hasStreamPosition()) return Math.min(Number(options.getStreamPosition()), Number.MAX_SAFE_INTEGER);
  return "any";
}
