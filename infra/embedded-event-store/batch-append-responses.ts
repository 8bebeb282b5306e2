import shared from "@eventstore/db-client/generated/shared_pb.js";
import { status } from "@grpc/grpc-js";
import { bytesField, numberField } from "../event-log/protobuf.ts";
import type { Expectation } from "./append-rules.ts";
import type { AppendAnswer } from "./writer.ts";

/** Messages that answer a `BatchAppend`, as bytes. */

/** The append that is answered. */
export interface AnsweredAppend {
  /** The `UUID` message that it was sent with. */
  readonly correlationId: Buffer;
  readonly stream: string;
}

export type AppendRefusal =
  | { readonly kind: "wrong_expected_revision"; readonly expected: Expectation; readonly lastRevision: number }
  | { readonly kind: "stream_closed" }
  | { readonly kind: "too_large"; readonly most: number };

const EMPTY = Buffer.alloc(0);

/** `BatchAppendResp { success { current_revision | no_stream, position | no_position } }` */
export function appendedResponse(
  append: AnsweredAppend,
  { revision, position }: Extract<AppendAnswer, { kind: "appended" }>,
): Buffer {
  const place =
    position === null
      ? bytesField(4, EMPTY)
      : bytesField(3, Buffer.concat([numberField(1, position), numberField(2, position)]));
  const success = Buffer.concat([revision < 0 ? bytesField(2, EMPTY) : numberField(1, revision), place]);
  return response(append, bytesField(3, success));
}

/** `BatchAppendResp { error { code, message, details } }`, the details as the real server types them. */
export function refusedResponse(append: AnsweredAppend, refusal: AppendRefusal): Buffer {
  const { code, message, type, details } = described(append.stream, refusal);
  const any = Buffer.concat([
    bytesField(1, Buffer.from(`type.googleapis.com/event_store.client.${type}`)),
    bytesField(2, details),
  ]);
  const error = Buffer.concat([numberField(1, code), bytesField(2, Buffer.from(message)), bytesField(3, any)]);
  return response(append, bytesField(2, error));
}

function response({ correlationId, stream }: AnsweredAppend, result: Buffer): Buffer {
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
      const details = new shared.MaximumAppendSizeExceeded().setMaxappendsize(refusal.most).serializeBinary();
      const message = `Maximum Append Size of ${refusal.most} Exceeded.`;
      return { code: status.INVALID_ARGUMENT, message, type: "MaximumAppendSizeExceeded", details };
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
