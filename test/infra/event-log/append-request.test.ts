import streams from "@eventstore/db-client/generated/streams_pb.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appendRequest } from "../../../infra/event-log/append-request.ts";
import { encodeContent } from "../../../infra/event-log/codec.ts";
import type { ExpectedRevision } from "../../../infra/event-log/event-log.ts";
import {
  cursorInto,
  cursorOver,
  fieldNumber,
  type MessageCursor,
  nextField,
} from "../../../infra/event-log/protobuf.ts";
import { metadata, someEvents } from "./event-log-client.ts";

const requests = suite("event log: the request of an append");

/** The first field of this number, and the cursor on it. */
function fieldOf(cursor: MessageCursor, number: number): MessageCursor {
  while (nextField(cursor)) if (cursor.field === number) return cursor;
  throw new Error(`no field ${number}`);
}

requests("has the whole append, as the generated message reads it", () => {
  const events = someEvents(2);
  const { correlationId, bytes } = appendRequest("thing-Größe", 300n, events.map(encodeContent), 2_500);
  const request = streams.BatchAppendReq.deserializeBinary(bytes);
  const options = request.getOptions();
  assert.equal(
    {
      correlationId: request.getCorrelationId()?.getString(),
      isFinal: request.getIsFinal(),
      stream: Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(),
      expected: options?.getStreamPosition(),
      events: request.getProposedMessagesList().map((event) => ({
        id: event.getId()?.getString(),
        about: Object.fromEntries(event.getMetadataMap().toObject(true)),
        metadata: JSON.parse(Buffer.from(event.getCustomMetadata_asU8()).toString()),
        data: JSON.parse(Buffer.from(event.getData_asU8()).toString()),
      })),
    },
    {
      correlationId,
      isFinal: true,
      stream: "thing-Größe",
      expected: "300",
      events: events.map(({ id, type, data }) => ({
        id,
        about: { type, "content-type": "application/json" },
        metadata,
        data,
      })),
    },
  );
});

requests("distinguishes revision 0 from no stream", () => {
  const expectedOf = (expected: ExpectedRevision) => {
    const { bytes } = appendRequest("thing-1", expected, someEvents(1).map(encodeContent), 1_000);
    return streams.BatchAppendReq.deserializeBinary(bytes).getOptions()?.getExpectedStreamPositionCase();
  };
  const { STREAM_POSITION, NO_STREAM } = streams.BatchAppendReq.Options.ExpectedStreamPositionCase;
  assert.equal([expectedOf(0n), expectedOf("no_stream")], [STREAM_POSITION, NO_STREAM]);
});

requests("names its deadline as a duration in whole seconds, so that no clock but the server's counts", () => {
  const secondsOf = (deadlineMs: number) => {
    const request = cursorOver(
      appendRequest("thing-1", "no_stream", someEvents(1).map(encodeContent), deadlineMs).bytes,
    );
    const duration = cursorInto(fieldOf(cursorInto(fieldOf(request, 2)), 7));
    return fieldNumber(fieldOf(duration, 1));
  };
  assert.equal([999, 1_000, 1_001, 2_500].map(secondsOf), [1, 1, 2, 3]);
});

requests.run();
