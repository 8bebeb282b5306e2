import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import streamsContract from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import { credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import * as assert from "uvu/assert";
import type { StreamName } from "../../../domain/streams.ts";
import { bytesField, numberField } from "../../../infra/event-log/protobuf.ts";
import { credential, type EmbeddedTestLog, startEmbeddedLog } from "../../support/event-store.ts";
import { within } from "../event-log/contract/client.ts";
import { all, idsOf } from "../event-log/event-log-client.ts";

type ProposedMessage = streams.BatchAppendReq.ProposedMessage;

/** One message of an append. */
export interface MessageParts {
  /** Absent: the message names no append. */
  readonly id?: shared.UUID;
  /** Absent: the message has no options. */
  readonly stream?: string;
  /** Absent: any revision will do. */
  readonly expected?: "no_stream" | "none named" | number;
  /** Instant of the deadline, in seconds since 1970. Absent: none. */
  readonly deadline?: number;
  /** Duration up to the deadline, in seconds, as our own client names it. Absent: none. */
  readonly duration?: number;
  readonly events?: readonly ProposedMessage[];
  /** Absent: it is the last message of its append. */
  readonly isFinal?: boolean;
}

export function textId(id: string = randomUUID()): shared.UUID {
  return new shared.UUID().setString(id);
}

/** An id as the .NET and Java clients send it. */
export function structuredId(mostSignificantBits: string, leastSignificantBits: string): shared.UUID {
  const structured = new shared.UUID.Structured();
  structured.setMostSignificantBits(mostSignificantBits).setLeastSignificantBits(leastSignificantBits);
  return new shared.UUID().setStructured(structured);
}

/** The id of a text as two signed integers. */
export function halvesOf(id: string): shared.UUID {
  const hex = id.replaceAll("-", "");
  const signed = (half: string) => BigInt.asIntN(64, BigInt(`0x${half}`)).toString();
  return structuredId(signed(hex.slice(0, 16)), signed(hex.slice(16)));
}

const thing = { type: "Thing", "content-type": "application/json" };

export function proposed(
  id: string,
  data: Uint8Array = Buffer.from("{}"),
  properties: Readonly<Record<string, string>> = thing,
): ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage().setId(textId(id)).setData(data);
  for (const [key, value] of Object.entries(properties)) message.getMetadataMap().set(key, value);
  return message;
}

export function someProposed(count: number): ProposedMessage[] {
  return Array.from({ length: count }, () => proposed(randomUUID()));
}

export function oneProposed(): ProposedMessage {
  return proposed(randomUUID());
}

/** An event that counts `bytes` towards the maximum append size. */
export function proposedOfSize(bytes: number): ProposedMessage {
  return proposed(randomUUID(), new Uint8Array(bytes - thing.type.length * 2));
}

export function idsOfProposed(events: readonly ProposedMessage[]): string[] {
  return events.map((event) => event.getId()?.getString() ?? "");
}

export function batchMessage({ duration, ...parts }: MessageParts): streams.BatchAppendReq {
  const message = messageOf(parts);
  if (duration === undefined) return message;
  // The generated contract lacks this field of the options.
  const options = message.getOptions()?.serializeBinary() ?? new Uint8Array();
  message.clearOptions();
  const rest = message.serializeBinary();
  const withDuration = bytesField(2, Buffer.concat([options, bytesField(7, numberField(1, duration))]));
  return Object.assign(message, { serializeBinary: () => Buffer.concat([rest, withDuration]) });
}

function messageOf({ id, stream, expected, deadline, events = [], isFinal = true }: MessageParts) {
  const message = new streams.BatchAppendReq().setProposedMessagesList([...events]).setIsFinal(isFinal);
  if (id) message.setCorrelationId(id);
  if (stream === undefined) return message;
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
  const deadlineField = deadline === undefined ? [] : [bytesField(6, numberField(1, deadline))];
  const options = streams.BatchAppendReq.Options.deserializeBinary(Buffer.concat(deadlineField));
  options.setStreamIdentifier(identifier);
  const empty = new shared.Empty();
  if (expected === undefined) options.setAny(empty);
  else if (expected === "none named") return message.setOptions(options);
  else if (expected === "no_stream") options.setNoStream(empty);
  else options.setStreamPosition(String(expected));
  return message.setOptions(options);
}

/** A call of batch appends and its responses. */
interface BatchCall {
  send(...messages: readonly MessageParts[]): void;
  halfClose(): void;
  /** The answers so far when there are `count`, in the order in which they came. */
  answers(count: number): Promise<readonly streams.BatchAppendResp[]>;
  /** How the call ended. */
  readonly end: Promise<CallEnd>;
}

interface CallEnd {
  readonly code: status;
  /** The property that an event lacks. */
  readonly missing?: string;
  /** Answers that had come by then. */
  readonly answers: number;
}

/** An embedded event store, and the generated client that talks to it. */
export async function startBatchAppends() {
  const store = await startEmbeddedLog({ deadlineMs: 5_000 });
  const { log } = store;
  const { client, secure } = streamsClientOf(store);
  return {
    client,
    port: store.port,
    directory: store.directory,
    secure,
    log,
    open: (metadata = basic(credential.password)) => openBatch(client.batchAppend(metadata)),
    storedIds: async (stream: StreamName) => idsOf(await all(log.read(stream))),
    close: async () => {
      client.close();
      await store.close();
    },
  };
}

/** The generated client of a store. */
export function streamsClientOf({ port, directory }: Pick<EmbeddedTestLog, "port" | "directory">) {
  const secure = credentials.createSsl(readFileSync(join(directory, "tls-certificate.pem")));
  return { client: new streamsContract.StreamsClient(`localhost:${port}`, secure), secure };
}

export function basic(password: string): Metadata {
  const metadata = new Metadata();
  metadata.set("authorization", `Basic ${Buffer.from(`${credential.username}:${password}`).toString("base64")}`);
  return metadata;
}

function openBatch(call: ReturnType<InstanceType<typeof streamsContract.StreamsClient>["batchAppend"]>): BatchCall {
  const received: streams.BatchAppendResp[] = [];
  let notify = () => {};
  call.on("data", (answer: streams.BatchAppendResp) => {
    received.push(answer);
    notify();
  });
  const end = within<CallEnd>((found) => {
    // The status is there before the last answers have been read.
    const ended = new Promise((resolve) => call.on("end", resolve));
    call.on("status", ({ code }) => {
      if (code === status.OK) ended.then(() => found({ code, answers: received.length }));
    });
    call.on("error", ({ code, metadata }: ServiceError) => {
      const missing = metadata.get("required-metadata-properties")[0]?.toString();
      found({ code, answers: received.length, ...(missing === undefined ? {} : { missing }) });
    });
  });
  const answers = (count: number) =>
    within<readonly streams.BatchAppendResp[]>((found) => {
      notify = () => {
        if (received.length >= count) found(received);
      };
      notify();
    });
  return {
    send: (...messages) => {
      for (const message of messages) call.write(batchMessage(message));
    },
    halfClose: () => call.end(),
    answers,
    end,
  };
}

/** Closes a call, which must have had this many responses. */
export async function closed(call: BatchCall, answers: number): Promise<void> {
  call.halfClose();
  assert.equal(await call.end, { code: status.OK, answers });
}

/** A response as a value: append, stream and outcome. */
export function responseOf(answer: streams.BatchAppendResp | undefined) {
  const id = answer?.getCorrelationId();
  const append = {
    id: id?.hasStructured() ? id.getStructured()?.toObject() : id?.getString(),
    stream: Buffer.from(answer?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(),
  };
  const error = answer?.getError();
  if (!error) return { ...append, revision: Number(answer?.getSuccess()?.getCurrentRevision()) };
  const details = error.getDetails();
  return { ...append, code: Number(error.getCode()), type: details?.getTypeName(), details: detailsOf(details) };
}

type Details = ReturnType<NonNullable<ReturnType<streams.BatchAppendResp["getError"]>>["getDetails"]>;

export const tooLarge = {
  code: status.INVALID_ARGUMENT,
  type: "event_store.client.MaximumAppendSizeExceeded",
  details: { most: 1024 * 1024 },
};

/** The details of an error; names of streams as text. */
function detailsOf(details: Details) {
  const bytes = details?.getValue_asU8() ?? new Uint8Array();
  switch (details?.getTypeName()) {
    case "event_store.client.WrongExpectedVersion": {
      const wrong = shared.WrongExpectedVersion.deserializeBinary(bytes);
      const expected = wrong.hasExpectedNoStream() ? "no_stream" : Number(wrong.getExpectedStreamPosition());
      return { expected, actual: wrong.hasCurrentNoStream() ? "no_stream" : Number(wrong.getCurrentStreamRevision()) };
    }
    case "event_store.client.StreamDeleted": {
      const identifier = shared.StreamDeleted.deserializeBinary(bytes).getStreamIdentifier();
      return { stream: Buffer.from(identifier?.getStreamName_asU8() ?? []).toString() };
    }
    case "event_store.client.MaximumAppendSizeExceeded":
      return { most: shared.MaximumAppendSizeExceeded.deserializeBinary(bytes).getMaxappendsize() };
    case "event_store.client.BadRequest":
      return { fault: shared.BadRequest.deserializeBinary(bytes).getMessage() };
    default:
      return null;
  }
}
