import { randomUUID } from "node:crypto";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import { Metadata, status } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { credential } from "../../support/event-store.ts";
import { newStream } from "../event-log/event-log-client.ts";
import {
  basic,
  closed,
  idsOfProposed,
  type MessageParts,
  oneProposed,
  proposed,
  proposedOfSize,
  responseOf,
  someProposed,
  startBatchAppends,
  structuredId,
  textId,
  tooLarge,
} from "./batch-append-client.ts";

/** What our own client does not say, but others do. */
const { client, log, open, storedIds, close } = await startBatchAppends();

const wire = suite("embedded event store: batch appends");
wire.after(close);

wire("an append in several messages is written whole, in order, with one response for its id", async () => {
  const ids = { text: textId(), structured: structuredId("-1", "9223372036854775807") };
  for (const [kind, id] of Object.entries(ids)) {
    const stream = newStream("Straße");
    const events = someProposed(6);
    const call = open();
    call.send(
      { id, stream, expected: "no_stream", isFinal: false },
      { id, events: events.slice(0, 2), isFinal: false },
      { id, events: events.slice(2, 5), isFinal: false },
      { id, events: events.slice(5) },
    );
    const [answer] = await call.answers(1);
    const sentWith = kind === "text" ? id.getString() : id.getStructured()?.toObject();
    assert.equal(responseOf(answer), { id: sentWith, stream, revision: 5 });
    await closed(call, 1);
    assert.equal(await storedIds(stream), idsOfProposed(events));
  }
});

wire("two appends with interleaved messages stay separate", async () => {
  const [one, other] = [textId(), textId()];
  const streams = [newStream(), newStream()] as const;
  const events = [someProposed(3), someProposed(2)] as const;
  const call = open();
  call.send(
    { id: one, stream: streams[0], events: events[0].slice(0, 1), isFinal: false },
    { id: other, stream: streams[1], events: events[1].slice(0, 1), isFinal: false },
    { id: one, events: events[0].slice(1, 2), isFinal: false },
    { id: other, events: events[1].slice(1) },
    { id: one, events: events[0].slice(2) },
  );
  const answers = (await call.answers(2)).map(responseOf);
  assert.equal(
    answers.find(({ id }) => id === one.getString()),
    { id: one.getString(), stream: streams[0], revision: 2 },
  );
  assert.equal(
    answers.find(({ id }) => id === other.getString()),
    { id: other.getString(), stream: streams[1], revision: 1 },
  );
  await closed(call, 2);
  assert.equal(await Promise.all(streams.map(storedIds)), events.map(idsOfProposed));
});

wire("a refused append gets a response with the reason, and the call stays open", async () => {
  const present = newStream();
  const absent = newStream();
  const tombstoned = newStream();
  await tombstone(tombstoned);
  const call = open();
  const refused = async (append: Omit<MessageParts, "id">) => {
    const id = textId();
    const before = (await call.answers(0)).length;
    call.send({ id, ...append });
    const { id: sentWith, ...answer } = responseOf((await call.answers(before + 1))[before]);
    assert.is(sentWith, id.getString());
    return answer;
  };
  const code = status.FAILED_PRECONDITION;
  const wrong = { code, type: "event_store.client.WrongExpectedVersion" };
  assert.equal(await refused({ stream: present, events: someProposed(2) }), { stream: present, revision: 1 });
  assert.equal(
    [
      await refused({ stream: present, expected: "no_stream", events: [oneProposed()] }),
      await refused({ stream: present, expected: 7, events: [oneProposed()] }),
      await refused({ stream: absent, expected: 0, events: [oneProposed()] }),
      await refused({ stream: tombstoned, events: [oneProposed()] }),
      await refused({ stream: absent, events: [proposedOfSize(tooLarge.details.most + 1)] }),
    ],
    [
      { stream: present, ...wrong, details: { expected: "no_stream", actual: 1 } },
      { stream: present, ...wrong, details: { expected: 7, actual: 1 } },
      { stream: absent, ...wrong, details: { expected: 0, actual: "no_stream" } },
      { stream: tombstoned, code, type: "event_store.client.StreamDeleted", details: { stream: tombstoned } },
      { stream: absent, ...tooLarge },
    ],
  );
  assert.equal(await refused({ stream: present, events: [oneProposed()] }), { stream: present, revision: 2 });
  await closed(call, 7);
  assert.equal(await storedIds(absent), []);
});

wire("an invalid append is refused alone, and others in flight are written", async () => {
  const [stream, other] = [newStream(), newStream()];
  const withProperties = (properties: Readonly<Record<string, string>>) => ({
    stream,
    events: [oneProposed(), proposed(randomUUID(), Buffer.from("{}"), properties)],
  });
  const bad: readonly (readonly [Omit<MessageParts, "id">, string])[] = [
    [{ events: [oneProposed()] }, "the name of the stream is empty"],
    [{ stream: "", events: [oneProposed()] }, "the name of the stream is empty"],
    [{ stream, events: [oneProposed(), proposed("no id")] }, '"no id" is not a UUID'],
    [withProperties({ "content-type": "application/json" }), "Required Metadata Properties Missing: 'type'"],
    [withProperties({ type: "Thing" }), "Required Metadata Properties Missing: 'content-type'"],
    [{ stream, expected: "none named", events: [oneProposed()] }, "the expected revision of the stream is missing"],
  ];
  const call = open();
  const written = bad.map(([append]) => {
    const good = { id: textId(), stream: other, events: [oneProposed()] };
    call.send({ id: textId(), ...append }, good);
    return good;
  });
  const answers = (await call.answers(2 * bad.length)).map(responseOf);
  assert.equal(
    answers.flatMap((answer) => ("type" in answer ? [[answer.code, answer.type, answer.details]] : [])),
    bad.map(([, fault]) => [status.INVALID_ARGUMENT, "event_store.client.BadRequest", { fault }]),
  );
  await closed(call, 2 * bad.length);
  assert.equal(await storedIds(stream), []);
  assert.equal(
    await storedIds(other),
    written.flatMap(({ events }) => idsOfProposed(events)),
  );
});

wire("an append whose deadline has passed is refused, and writes nothing", async () => {
  const stream = newStream();
  const now = Math.floor(Date.now() / 1_000);
  const call = open();
  // Also one that is too large.
  for (const [index, events] of [[oneProposed()], [proposedOfSize(1024 * 1024 + 1)]].entries()) {
    call.send({ id: textId(), stream, events, deadline: now - 1 });
    const { code, type } = { code: 0, type: "", ...responseOf((await call.answers(index + 1))[index]) };
    assert.equal([code, type], [status.DEADLINE_EXCEEDED, "event_store.client.Timeout"]);
  }
  call.send({ id: textId(), stream, events: [oneProposed()], deadline: now + 60 });
  await call.answers(3);
  await closed(call, 3);
  assert.is((await storedIds(stream)).length, 1);
});

wire("an append may name the time that it has instead, which counts from its first message", async () => {
  const [stream, others] = [newStream(), newStream()];
  const call = open();
  const late = textId();
  call.send({ id: late, stream, duration: 0, events: [oneProposed()], isFinal: false });
  let answers = 0;
  let arrivedBefore = Number.POSITIVE_INFINITY;
  while (Date.now() <= arrivedBefore + 1) {
    call.send({ id: textId(), stream: others, duration: 60, events: [oneProposed()] });
    answers += 1;
    assert.is(responseOf((await call.answers(answers)).at(-1)).stream, others);
    arrivedBefore = Math.min(arrivedBefore, Date.now());
  }
  call.send({ id: late, events: [oneProposed()] });
  const { code, type } = { code: 0, type: "", ...responseOf((await call.answers(answers + 1)).at(-1)) };
  assert.equal([code, type], [status.DEADLINE_EXCEEDED, "event_store.client.Timeout"]);
  await closed(call, answers + 1);
  assert.equal([(await storedIds(stream)).length, (await storedIds(others)).length], [0, answers]);
});

wire("an append in several messages is refused as a whole if any of its events is invalid", async () => {
  const stream = newStream();
  const call = open();
  for (const [index, events] of [
    [[proposed("no id")], [oneProposed()]],
    [[oneProposed()], [proposed("no id")]],
  ].entries()) {
    const id = textId();
    const [first = [], last = []] = events;
    call.send({ id, stream, events: first, isFinal: false }, { id, events: [], isFinal: false }, { id, events: last });
    assert.equal(responseOf((await call.answers(index + 1))[index]), {
      ...{ id: id.getString(), stream, code: status.INVALID_ARGUMENT },
      ...{ type: "event_store.client.BadRequest", details: { fault: '"no id" is not a UUID' } },
    });
  }
  await closed(call, 2);
  assert.equal(await storedIds(stream), []);
});

wire("a message without the id of an append ends the call, and is not written", async () => {
  const head = await log.headPosition();
  const call = open();
  call.send({ stream: newStream(), events: [oneProposed()] });
  assert.equal(await call.end, { code: status.INVALID_ARGUMENT, answers: 0 });
  assert.equal(await log.headPosition(), head);
});

wire("a call without the right credential is refused", async () => {
  const head = await log.headPosition();
  const ends = [new Metadata(), basic("another")].map((metadata) => {
    const call = open(metadata);
    call.send({ id: textId(), stream: newStream(), events: [oneProposed()] });
    return call.end;
  });
  assert.equal(await Promise.all(ends), [
    { code: status.PERMISSION_DENIED, answers: 0 },
    { code: status.UNAUTHENTICATED, answers: 0 },
  ]);
  assert.equal(await log.headPosition(), head);
});

wire("a call that the client has closed ends after the response to its last append", async () => {
  const appends = Array.from({ length: 3 }, () => ({ id: textId(), stream: newStream(), events: someProposed(200) }));
  const call = open();
  call.send(...appends);
  await closed(call, appends.length);
  assert.equal(
    await Promise.all(appends.map(({ stream }) => storedIds(stream))),
    appends.map(({ events }) => idsOfProposed(events)),
  );
});

function tombstone(stream: string): Promise<void> {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
  const options = new streams.TombstoneReq.Options().setStreamIdentifier(identifier).setAny(new shared.Empty());
  return new Promise((resolve, reject) => {
    client.tombstone(new streams.TombstoneReq().setOptions(options), basic(credential.password), (error) =>
      error ? reject(error) : resolve(),
    );
  });
}

wire.run();
