import { randomUUID } from "node:crypto";
import { binaryEvent, EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isUndecodable } from "../../../domain/event.ts";
import { AppendTooLarge } from "../../../infra/event-log/event-log.ts";
import { eventStoreAccess, eventStoreUrl } from "../../../infra/event-log/event-store-access.ts";
import { startTestLog } from "../../support/event-store.ts";
import { all, appended, errorOf, headOf, idsOf, metadata, newStream, someEvents } from "./event-log-client.ts";

const store = await startTestLog({ deadlineMs: 5_000 });
const { log } = store;
/** The client of another program. */
const otherClient = EventStoreDBClient.connectionString(
  eventStoreUrl(eventStoreAccess(store.environment.EVENTSTORE_URL)),
);
/** The name of a stream for that client. */
const stored = (stream: string): string => store.environment.EVENT_STREAM_PREFIX + stream;

const fresh = suite("event log: without an event");

fresh("has no head, no events, and nothing at a position", async () => {
  const nothing = {
    head: await log.headPosition(),
    all: await all(log.readAll("start", 10)),
    at: await log.eventAt({ commit: 1n, prepare: 1n }),
    stream: await all(log.read("app-1")),
    backwards: await log.readBackwards("app-1", 10),
  };
  assert.equal(nothing, { head: null, all: [], at: null, stream: [], backwards: [] });
});

fresh.run();

const appends = suite("event log: append");

appends("returns revision and position of the last event, the same on a repeat", async () => {
  const stream = newStream();
  const events = someEvents(3);
  const first = await appended(log, stream, "no_stream", events);
  assert.is(first.revision, 2n);
  assert.equal((await log.eventAt(first.position))?.id, events[2]?.id);
  await appended(log, newStream(), "no_stream", someEvents(1));
  assert.equal(await log.append(stream, "no_stream", events), first);
});

appends("has one outcome when it is repeated while it is being written", async () => {
  const twice = async () => {
    const [stream, events] = [newStream(), someEvents(3)];
    return Promise.all([log.append(stream, "no_stream", events), log.append(stream, "no_stream", events)]);
  };
  for (const [one, other] of await Promise.all(Array.from({ length: 10 }, twice))) {
    assert.is(one.outcome, "appended");
    assert.equal(other, one);
  }
});

appends("returns positions without events between or after them", async () => {
  const first = await appended(log, newStream(), "no_stream", someEvents(1));
  const last = await appended(log, newStream(), "no_stream", someEvents(1));
  const without = [last.position.commit + 1_000_000_000n];
  for (let commit = first.position.commit + 1n; commit < last.position.commit; commit += 10n) without.push(commit);
  for (const commit of without) assert.is(await log.eventAt({ commit, prepare: commit }), null, `${commit}`);
});

appends("returns the actual revision for a wrong expected one", async () => {
  const stream = newStream();
  assert.equal(await log.append(stream, 0n, someEvents(1)), { outcome: "wrong_expected_revision", actual: null });
  await appended(log, stream, "no_stream", someEvents(2));
  assert.equal(await log.append(stream, 0n, someEvents(1)), { outcome: "wrong_expected_revision", actual: 1n });
});

appends("accepts UUIDs as ids, in upper case too, and nothing else", async () => {
  const stream = newStream();
  const withId = (id: string) => someEvents(1).map((event) => ({ ...event, id }));
  const id = randomUUID();
  for (const wrong of [
    "",
    id.slice(1),
    `${id}0`,
    id.replace("-", "0"),
    id.replace(/^./, "g"),
    id.replaceAll("-", ""),
  ]) {
    assert.instance(await errorOf(log.append(stream, "no_stream", withId(wrong))), RangeError);
  }
  assert.is((await log.append(stream, "no_stream", withId(id.toUpperCase()))).outcome, "appended");
  assert.equal(idsOf(await all(log.read(stream))), [id]);
});

appends("accepts 1 to 500 events, and 1 MiB", async () => {
  const stream = newStream();
  assert.instance(await errorOf(log.append(stream, "no_stream", [])), RangeError);
  assert.instance(await errorOf(log.append(stream, "no_stream", someEvents(501))), RangeError);
  const large = (bytes: number) => [{ id: randomUUID(), type: "FileChunk", data: new Uint8Array(bytes), metadata }];
  const most = 1024 * 1024 - Buffer.byteLength(JSON.stringify(metadata)) - 2 * "FileChunk".length;
  assert.instance(await errorOf(log.append(stream, "no_stream", large(most + 1))), AppendTooLarge);
  assert.is((await log.append(stream, "no_stream", large(most))).outcome, "appended");
  assert.is((await log.append(newStream(), "no_stream", someEvents(500))).outcome, "appended");
});

appends.run();

const reads = suite("event log: read");

reads("returns events as they were appended, with revision and position", async () => {
  const stream = newStream();
  const before = Date.now();
  const bytes = Uint8Array.of(0, 1, 254, 255);
  const events = [
    { id: randomUUID(), type: "ThingHappened", data: { text: "Zoë ☃", list: [1, null], deep: { x: 0.5 } }, metadata },
    { id: randomUUID(), type: "FileChunk", data: bytes, metadata },
  ];
  const { position } = await appended(log, stream, "no_stream", events);
  const found = await all(log.read(stream));
  assert.equal(
    found.map(({ recordedAt: _, position: __, ...event }) => event),
    events.map((event, index) => ({ ...event, stream, revision: BigInt(index) })),
  );
  const [first, last] = found.map((event) => event.position);
  assert.equal(last, position);
  assert.ok(first !== undefined && first.commit < position.commit);
  for (const { recordedAt } of found) assert.ok(recordedAt.getTime() >= before && recordedAt.getTime() <= Date.now());
});

reads("a stream from a revision on, and its last events, newest first", async () => {
  const stream = newStream();
  const events = someEvents(10);
  await appended(log, stream, "no_stream", events);
  assert.equal(idsOf(await all(log.read(stream))), idsOf(events));
  assert.equal(idsOf(await all(log.read(stream, 7n))), idsOf(events.slice(7)));
  assert.equal(idsOf(await all(log.read(stream, 10n))), []);
  assert.equal(idsOf(await log.readBackwards(stream, 3)), idsOf(events.slice(7)).toReversed());
  assert.equal(idsOf(await log.readBackwards(stream, 100)), idsOf(events).toReversed());
});

reads("the whole log after a position, at most so many", async () => {
  const events = someEvents(10);
  const { position } = await appended(log, newStream(), "no_stream", events.slice(0, 1));
  await appended(log, newStream(), "no_stream", events.slice(1));
  assert.equal(idsOf(await all(log.readAll(position, 4))), idsOf(events.slice(1, 5)));
  assert.equal(idsOf(await all(log.readAll(position, 100))), idsOf(events.slice(1)));
  assert.equal(await all(log.readAll(position, 0)), []);
  assert.equal(await all(log.readAll(await headOf(log), 10)), []);
});

reads("stops reading when the loop is left", async () => {
  const stream = newStream();
  await appended(log, stream, "no_stream", someEvents(500));
  for (let round = 0; round < 20; round++) for await (const event of log.read(stream)) if (event.revision === 3n) break;
  assert.is((await all(log.read(stream))).length, 500);
});

reads("leaves out system events", async () => {
  await appended(log, newStream(), "no_stream", someEvents(1));
  const before = await headOf(log);
  await otherClient.appendToStream("$statistics", jsonEvent({ type: "$statsCollected", data: {} }));
  const closing = newStream();
  await otherClient.tombstoneStream(stored(closing));
  assert.equal(await log.headPosition(), before);
  assert.equal(await all(log.readAll(before, 10)), []);
});

reads.run();

const decoding = suite("event log: decoding");

decoding("marks undecodable events, and continues", async () => {
  const stream = newStream();
  const broken = { ...binaryEvent({ type: "ThingHappened", data: Buffer.from("{broken"), metadata: { ...metadata } }) };
  await otherClient.appendToStream(stored(stream), { ...broken });
  // The plain client cannot write bad JSON as JSON: an event without our metadata is as far as it goes.
  const foreign = jsonEvent({ type: "ThingHappened", data: { ok: true } });
  const badMetadata = jsonEvent({
    type: "ThingHappened",
    data: { ok: true },
    metadata: Uint8Array.from(Buffer.from("{")),
  });
  await otherClient.appendToStream(stored(stream), [foreign, badMetadata]);
  await appended(log, stream, 2n, someEvents(1));
  const found = await all(log.read(stream));
  assert.equal(
    found.map(({ data }) => (isUndecodable(data) ? "undecodable" : data instanceof Uint8Array ? "bytes" : data)),
    ["bytes", "undecodable", "undecodable", { index: 0 }],
  );
  const [, undecodable] = found;
  assert.ok(undecodable && isUndecodable(undecodable.data));
  assert.is(Buffer.from(undecodable.data.bytes).toString(), '{"ok":true}');
});

decoding.after(async () => {
  await otherClient.dispose();
  await store.close();
});

decoding.run();
