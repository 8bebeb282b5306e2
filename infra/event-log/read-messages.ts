import type { ClientReadableStream } from "@grpc/grpc-js";
import type { LogPosition } from "../../domain/event.ts";
import type { StoredContent } from "./codec.ts";
import { type EventStoreConnection, toLogError } from "./eventstore-connection.ts";
import {
  cursorInto,
  cursorOver,
  fieldBytes,
  fieldNumber,
  fieldText,
  MalformedMessage,
  type MessageCursor,
  nextField,
  noBytes,
} from "./protobuf.ts";
import { ownName, type StreamNames } from "./stream-names.ts";

/** An event in a message of a `Read` call; `event` is null for events of the system and of other applications. */
interface ReadEvent {
  readonly position: LogPosition;
  readonly event: StoredContent | null;
}

/** Decodes a `ReadResp`; null for one without an event. Throws `MalformedMessage` for bytes that are none. */
export function readMessage(bytes: Buffer, names: StreamNames): ReadEvent | null {
  const cursor = cursorOver(bytes);
  return nextField(cursor) && cursor.field === 1 ? eventMessage(cursorInto(cursor), names) : null;
}

/** `ReadEvent { event, link, commit_position }`; there is always an event, as links are not resolved. */
function eventMessage(cursor: MessageCursor, names: StreamNames): ReadEvent {
  while (nextField(cursor)) if (cursor.field === 1) return recordedEvent(cursorInto(cursor), names);
  throw new MalformedMessage("an event message without an event");
}

function recordedEvent(cursor: MessageCursor, names: StreamNames): ReadEvent {
  const properties = { type: "", contentType: "", created: "" };
  let id = "";
  let storedStream = "";
  let revision = 0;
  let prepare = 0;
  let commit = 0;
  let metadata: Buffer = noBytes;
  let data: Buffer = noBytes;
  while (nextField(cursor)) {
    if (cursor.field === 1) id = lastText(cursorInto(cursor));
    else if (cursor.field === 2) storedStream = lastText(cursorInto(cursor));
    else if (cursor.field === 3) revision = fieldNumber(cursor);
    else if (cursor.field === 4) prepare = fieldNumber(cursor);
    else if (cursor.field === 5) commit = fieldNumber(cursor);
    else if (cursor.field === 6) readProperty(cursorInto(cursor), properties);
    else if (cursor.field === 7) metadata = fieldBytes(cursor);
    else if (cursor.field === 8) data = fieldBytes(cursor);
  }
  const position = { commit: BigInt(commit), prepare: BigInt(prepare) };
  const { type, contentType, created } = properties;
  const stream = ownName(storedStream, names);
  if (stream === null || type.startsWith("$")) return { position, event: null };
  const recordedAt = dateOfTicks(created);
  const isJson = contentType === "application/json";
  const event = { id, type, stream, revision: BigInt(revision), position, recordedAt, isJson, data, metadata };
  return { position, event };
}

/** Reads one entry of a `map<string, string>`. */
function readProperty(cursor: MessageCursor, properties: { type: string; contentType: string; created: string }): void {
  if (!nextField(cursor)) return;
  const key = fieldText(cursor);
  if (!nextField(cursor)) return;
  if (key === "type") properties.type = fieldText(cursor);
  else if (key === "content-type") properties.contentType = fieldText(cursor);
  else if (key === "created") properties.created = fieldText(cursor);
}

/** The text of a message with one text field: a UUID, a stream identifier. */
function lastText(cursor: MessageCursor): string {
  let text = "";
  while (nextField(cursor)) text = fieldText(cursor);
  return text;
}

/** From ticks of 100 ns since 1970, truncated to milliseconds in the text, to avoid rounding. */
function dateOfTicks(ticks: string): Date {
  return new Date(Number(ticks.slice(0, -4)));
}

/** A call is paused while this many messages, or bytes, are queued: an event has up to 1 MiB. */
const maxQueuedMessages = 1_000;
export const maxQueuedBytes = 8 * 1024 * 1024;

/**
 * The messages of one read call, in batches of whatever has arrived, until the server ends it. Queues about a thousand
 * messages or 8 MiB, then applies back-pressure. Throws `toLogError`, also when the next message takes longer than the
 * connection's deadline. Leaving the loop cancels the call.
 */
export async function* messageBatches(
  call: ClientReadableStream<Buffer>,
  connection: Pick<EventStoreConnection, "awaitMessage">,
  names: StreamNames,
): AsyncGenerator<readonly (ReadEvent | null)[]> {
  let waiting: (ReadEvent | null)[] = [];
  let waitingBytes = 0;
  let failure: Error | null = null;
  let ended = false;
  let wake = () => {};
  const fail = (error: unknown) => {
    failure ??= toLogError(error);
    wake();
  };
  call.on("data", (bytes: Buffer) => {
    try {
      waiting.push(readMessage(bytes, names));
      waitingBytes += bytes.length;
    } catch (error) {
      fail(error);
    }
    if (waiting.length >= maxQueuedMessages || waitingBytes >= maxQueuedBytes) call.pause();
    wake();
  });
  call.on("error", fail);
  call.on("end", () => {
    ended = true;
    wake();
  });
  try {
    while (true) {
      if (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        waitingBytes = 0;
        call.resume();
        yield batch;
      } else if (failure) throw failure;
      else if (ended) return;
      else {
        const change = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await connection.awaitMessage(change);
      }
    }
  } finally {
    // A paused call that the server has ended already would keep the client from closing.
    call.resume();
    call.cancel();
  }
}
