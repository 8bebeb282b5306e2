import type { EventStoreDBClient } from "@eventstore/db-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { errorOf, idsOf, newStream } from "../event-log-client.ts";
import { clientOf, eventsOf, listenTo, newEvents, type ServerUnderTest } from "./client.ts";

export function metadataContract(name: string, server: () => ServerUnderTest): void {
  truncationContract(name, server);
  deletionContract(name, server);
}

/** The ids of a read, or the type of its error. */
function readerOf(client: EventStoreDBClient) {
  return async (stream: string, options: Parameters<EventStoreDBClient["readStream"]>[1] = {}) => {
    const events = eventsOf(client.readStream(stream, options));
    return events.then(idsOf, (error) => (error as { readonly type?: string }).type);
  };
}

function truncationContract(name: string, server: () => ServerUnderTest): void {
  const truncation = suite(`${name}: stream metadata`);
  let client: EventStoreDBClient;
  let read: ReturnType<typeof readerOf>;
  truncation.before(() => {
    client = clientOf(server());
    read = readerOf(client);
  });
  truncation.after(() => client.dispose());

  truncation("is answered as it was set, each time anew", async () => {
    const stream = newStream();
    assert.equal(await client.getStreamMetadata(stream), { streamName: stream });
    const acl = { readRoles: ["one"], writeRoles: ["two"], metaReadRoles: ["one", "two"] };
    const all = { maxAge: 2, cacheControl: 15, truncateBefore: 1, maxCount: 12, acl, ours: "é" };
    await client.setStreamMetadata(stream, all, { expectedRevision: "no_stream" });
    assert.equal((await client.getStreamMetadata(stream)).metadata, all);
    await client.setStreamMetadata(stream, { maxCount: 3 }, { expectedRevision: 0n });
    assert.equal((await client.getStreamMetadata(stream)).metadata, { maxCount: 3 });
    // Of a metadata stream, only the last event is read.
    assert.is((await eventsOf(client.readStream(`$$${stream}`))).length, 1);
    const error = await errorOf(client.setStreamMetadata(stream, {}, { expectedRevision: "no_stream" }));
    assert.is((error as unknown as Record<string, unknown>).type, "wrong-expected-version");
  });

  truncation("of a stream without events leaves it one that is not there", async () => {
    const stream = newStream();
    await client.setStreamMetadata(stream, { maxCount: 3 });
    assert.is(await read(stream), "stream-not-found");
    const events = newEvents(4);
    await client.appendToStream(stream, events, { expectedRevision: "no_stream" });
    assert.equal(await read(stream), idsOf(events).slice(1));
  });

  truncation("bounds how many events are read, also those that follow", async () => {
    const stream = newStream();
    const ids = idsOf(await appended(stream, 5));
    for (const [maxCount, left] of [
      [4, ids.slice(1)],
      [5, ids],
      [6, ids],
      [1, ids.slice(4)],
    ] as const) {
      await client.setStreamMetadata(stream, { maxCount });
      assert.equal(await read(stream), left);
      assert.equal(await read(stream, { direction: "backwards", fromRevision: "end" }), left.toReversed());
    }
    const [next = ""] = idsOf(await appended(stream, 1));
    assert.equal(await read(stream), [next]);
    assert.equal(await read(stream, { fromRevision: 2n, maxCount: 2 }), [next]);
    assert.equal(await read(stream, { direction: "backwards", fromRevision: 2n }), []);
  });

  truncation("leaves out events before a revision", async () => {
    const stream = newStream();
    const ids = idsOf(await appended(stream, 3));
    for (const [truncateBefore, left] of [
      [0, ids],
      [2, ids.slice(2)],
      [3, []],
    ] as const) {
      await client.setStreamMetadata(stream, { truncateBefore });
      assert.equal(await read(stream), left);
    }
    await client.setStreamMetadata(stream, { truncateBefore: 1, maxCount: 1 });
    assert.equal(await read(stream), ids.slice(2));
    await client.setStreamMetadata(stream, { truncateBefore: 2, maxCount: 2 });
    const listening = listenTo(client.subscribeToStream(stream));
    const [next = ""] = idsOf(await appended(stream, 1));
    assert.equal(idsOf(await listening.first(2)), [ids[2], next]);
    await listening.stop();
  });

  truncation("that is not valid truncates nothing", async () => {
    const stream = newStream();
    const ids = idsOf(await appended(stream, 3));
    for (const metadata of [{ maxCount: 0 }, { maxCount: -1 }, { truncateBefore: -1 }, { maxAge: 0 }]) {
      await client.setStreamMetadata(stream, metadata);
      assert.equal(await read(stream), ids);
    }
  });

  truncation("counts as a stream for an append to one that must exist", async () => {
    const stream = newStream();
    await client.setStreamMetadata(stream, { cacheControl: 3 });
    const { nextExpectedRevision } = await client.appendToStream(stream, newEvents(1), {
      expectedRevision: "stream_exists",
    });
    assert.is(nextExpectedRevision, 0n);
  });

  async function appended(stream: string, count: number) {
    const events = newEvents(count);
    await client.appendToStream(stream, events);
    return events;
  }

  truncation.run();
}

function deletionContract(name: string, server: () => ServerUnderTest): void {
  const deletion = suite(`${name}: delete`);
  let client: EventStoreDBClient;
  let read: ReturnType<typeof readerOf>;
  deletion.before(() => {
    client = clientOf(server());
    read = readerOf(client);
  });
  deletion.after(() => client.dispose());

  const typeOf = async (call: Promise<unknown>) => ((await errorOf(call)) as Record<string, unknown> | null)?.type;

  async function deleted(events: ReturnType<typeof newEvents>): Promise<string> {
    const stream = newStream();
    await client.appendToStream(stream, events, { expectedRevision: "no_stream" });
    await client.deleteStream(stream, { expectedRevision: BigInt(events.length - 1) });
    return stream;
  }

  deletion("makes a stream one that is not there, until the next append", async () => {
    for (const expectedRevision of ["any", "no_stream", 1n] as const) {
      const stream = await deleted(newEvents(2));
      assert.is(await read(stream), "stream-not-found");
      assert.is(await read(stream, { direction: "backwards", fromRevision: "end" }), "stream-not-found");
      const events = newEvents(2);
      const { nextExpectedRevision } = await client.appendToStream(stream, events, { expectedRevision });
      assert.is(nextExpectedRevision, 3n);
      assert.equal(await read(stream), idsOf(events));
      assert.equal((await client.getStreamMetadata(stream)).metadata, { truncateBefore: 2 });
    }
  });

  deletion("takes the events of before for repeated, not for new ones", async () => {
    const events = newEvents(2);
    const stream = await deleted(events);
    await client.appendToStream(stream, events, { expectedRevision: "no_stream" });
    assert.is(await read(stream), "stream-not-found");
  });

  deletion("refuses an append to a stream that must exist, and another expected revision", async () => {
    const stream = await deleted(newEvents(2));
    const append = (expectedRevision: "stream_exists" | bigint) =>
      client.appendToStream(stream, newEvents(1), { expectedRevision });
    assert.is(await typeOf(append("stream_exists")), "stream-deleted");
    assert.is(await typeOf(append(0n)), "wrong-expected-version");
    assert.is(await typeOf(append(2n)), "wrong-expected-version");
  });

  deletion("checks the expected revision, and that there is a stream", async () => {
    const stream = newStream();
    for (const expectedRevision of ["any", "no_stream", 0n] as const)
      assert.is(await typeOf(client.deleteStream(stream, { expectedRevision })), "wrong-expected-version");
    await client.appendToStream(stream, newEvents(2));
    for (const expectedRevision of ["no_stream", 0n, 2n] as const)
      assert.is(await typeOf(client.deleteStream(stream, { expectedRevision })), "wrong-expected-version");
    assert.is(((await read(stream)) as string[]).length, 2);
  });

  deletion("stays when metadata are set: the events of before are not read again", async () => {
    const stream = await deleted(newEvents(2));
    await client.setStreamMetadata(stream, { maxCount: 5 });
    // A server adds the end of what was deleted a moment later.
    let metadata = {};
    while (!("truncateBefore" in metadata)) metadata = (await client.getStreamMetadata(stream)).metadata ?? {};
    assert.equal(metadata, { maxCount: 5, truncateBefore: 2 });
    assert.equal(await read(stream), []);
    const events = newEvents(1);
    await client.appendToStream(stream, events, { expectedRevision: 1n });
    assert.equal(await read(stream), idsOf(events));
  });

  deletion("can be repeated, and followed by a tombstone", async () => {
    const stream = await deleted(newEvents(2));
    await client.deleteStream(stream);
    assert.is(await read(stream), "stream-not-found");
    await client.tombstoneStream(stream, { expectedRevision: "no_stream" });
    assert.is(await read(stream), "stream-deleted");
    assert.is(await typeOf(client.deleteStream(stream)), "stream-deleted");
  });

  deletion.run();
}
