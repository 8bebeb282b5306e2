import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { streamEvents } from "../../../infra/embedded-event-store/pages.ts";
import { Storage, type StreamState } from "../../../infra/embedded-event-store/storage.ts";
import { encodeStoredEvent } from "../../../infra/embedded-event-store/stored-event.ts";
import { isDeleted } from "../../../infra/embedded-event-store/stream-metadata.ts";
import { Writer } from "../../../infra/embedded-event-store/writer.ts";
import { temporaryDirectory } from "../event-log/event-log-client.ts";

const directory = temporaryDirectory();
let storage = new Storage(directory.path);
const newWriter = () => new Writer(storage, { hasRoomFor: () => true }, () => {});
let writer = newWriter();

const kept = suite("embedded event store: metadata of streams");
kept.after(async () => {
  await storage.close();
  await directory.remove();
});

const event = (data: unknown, isJson = true) => ({
  id: randomUUID(),
  type: "$metadata",
  isJson,
  data: Buffer.from(JSON.stringify(data)),
  metadata: Buffer.alloc(0),
});
const describe = (stream: string, metadata: unknown) => writer.append(`$$${stream}`, "any", [event(metadata)]);

function positionsOf(state: StreamState | null, backwards = false): readonly number[] {
  if (!state) return [];
  const range = { from: backwards ? Infinity : 0, backwards, count: Infinity };
  return [...streamEvents(storage, state, range)].flatMap((page) => page.map(({ position }) => position));
}

kept("leave out events that are too old, in both directions", async () => {
  const first = storage.head + 1;
  const number = storage.newStreamNumber();
  const ages = [3_600, 90, 80, 40, 0];
  const events = ages.map((age, index) => {
    const created = Buffer.from(`${Date.now() - age * 1_000}0000`);
    const position = first + index;
    return { position, bytes: encodeStoredEvent(event({}), Buffer.from("aged"), index, position, created) };
  });
  const state = { number, lastRevision: ages.length - 1, tombstone: null, metadata: null };
  const runs = [{ stream: number, firstRevision: 0, firstPosition: first, count: ages.length }];
  await storage.commit({ events, runs, streams: new Map([["aged", state]]) });
  const all = events.map(({ position }) => position);
  for (const [metadata, left] of [
    [{ $maxAge: 7_200 }, all],
    [{ $maxAge: 85 }, all.slice(2)],
    [{ $maxAge: 60 }, all.slice(3)],
    [{ $maxAge: 60, $maxCount: 1 }, all.slice(4)],
    [{ $maxAge: 60, $tb: 5 }, []],
  ] as const) {
    await describe("aged", metadata);
    assert.equal(positionsOf(storage.stream("aged")), left);
    assert.equal(positionsOf(storage.stream("aged"), true), left.toReversed());
  }
});

kept("are those at the head of the read", async () => {
  await writer.append("followed", "no_stream", [event({}), event({}), event({})]);
  const bare = storage.head;
  await describe("followed", { $maxCount: 2 });
  const truncated = storage.head;
  await writer.delete("followed", "any", randomUUID());
  const deleted = storage.head;
  const at = (head: number) => positionsOf(storage.stream("followed", head)).length;
  assert.equal([bare, truncated].map(at), [3, 2]);
  assert.equal(
    [truncated, deleted].map((head) => isDeleted(storage.stream("followed", head) as StreamState)),
    [false, true],
  );
});

kept("leave a stream open at a head before its tombstone", async () => {
  await writer.append("closing", "no_stream", [event({})]);
  const before = storage.head;
  const { position } = { position: 0, ...(await writer.tombstone("closing", 0, randomUUID())) };
  const tombstoneAt = (head: number) => storage.stream("closing", head)?.tombstone;
  assert.equal([before, position].map(tombstoneAt), [null, position]);
});

kept("have no effect when they are no JSON object", async () => {
  await writer.append("strange", "no_stream", [event({}), event({})]);
  for (const proposed of [event({ $maxCount: 1 }, false), event([1]), event(null), event({ $maxCount: "1" })]) {
    await describe("strange", { $maxCount: 1 });
    await writer.append("$$strange", "any", [proposed]);
    assert.is(positionsOf(storage.stream("strange")).length, 2);
  }
});

kept("outlive a restart", async () => {
  await writer.append("lasting", "no_stream", [event({}), event({})]);
  await writer.delete("lasting", 1, randomUUID());
  await storage.close();
  storage = new Storage(directory.path);
  writer = newWriter();
  assert.is(isDeleted(storage.stream("lasting") as StreamState), true);
  await writer.append("lasting", "no_stream", [event({})]);
  assert.equal(positionsOf(storage.stream("lasting")), [storage.head - 1]);
});

kept.run();
