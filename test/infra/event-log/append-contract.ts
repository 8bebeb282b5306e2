import { randomUUID } from "node:crypto";
import {
  type AppendExpectedRevision,
  binaryEvent,
  type EventData,
  EventStoreDBClient,
  jsonEvent,
} from "@eventstore/db-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientOf, errorOf, eventsOf, idsOf, newEvents, newStream, type ServerUnderTest } from "./contract-client.ts";

/** The client sends a plain append when a call has a credential of its own, and a batch append else. */
export type AppendWay = "plain" | "batch";

export function appendContract(name: string, server: () => ServerUnderTest, way: AppendWay): void {
  const appends = suite(name);
  let client: EventStoreDBClient;
  appends.before(() => {
    client = clientOf(server());
  });
  appends.after(() => client.dispose());

  const append = (stream: string, expectedRevision: AppendExpectedRevision, events: EventData[]) =>
    client.appendToStream(stream, events, {
      expectedRevision,
      ...(way === "plain" ? { credentials: server().credentials } : {}),
    });
  const stored = (stream: string) => eventsOf(client.readStream(stream));
  const wrongVersion = async (call: Promise<unknown>) => {
    const error = await errorOf(call);
    const { type, expectedVersion, actualVersion } = error as Record<string, unknown>;
    return { type, expectedVersion, actualVersion };
  };
  const wrong = (expectedVersion: unknown, actualVersion: unknown) => ({
    type: "wrong-expected-version",
    expectedVersion,
    actualVersion,
  });

  appends("writes to a stream that is not there yet, and then at its last revision", async () => {
    const stream = newStream();
    const events = newEvents(5);
    const first = await append(stream, "no_stream", events.slice(0, 2));
    const second = await append(stream, 1n, events.slice(2));
    assert.is(first.nextExpectedRevision, 1n);
    assert.is(second.nextExpectedRevision, 4n);
    const found = await stored(stream);
    assert.equal(idsOf(found), idsOf(events));
    assert.equal(
      found.map(({ revision }) => revision),
      [0n, 1n, 2n, 3n, 4n],
    );
  });

  appends("gives events back as they were written: JSON, bytes, metadata, names in any script", async () => {
    const stream = newStream("Straße-日本");
    const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
    const json = jsonEvent({ type: "Größe", data: { text: "naïve ☃ \u0000", n: 1.5 }, metadata: { by: "Zoë" } });
    const binary = binaryEvent({ type: "Bytes", data: bytes, metadata: Uint8Array.of(1, 2, 255) });
    const empty = binaryEvent({ type: "Empty", data: new Uint8Array() });
    const before = Date.now();
    await append(stream, "no_stream", [json, binary, empty]);
    const found = (await stored(stream)).map(({ streamId, id, type, data, metadata, isJson }) => {
      const plain = (value: unknown) => (value instanceof Uint8Array ? [...value] : value);
      return { streamId, id, type, data: plain(data), metadata: plain(metadata), isJson };
    });
    assert.equal(found, [
      { streamId: stream, id: json.id, type: "Größe", data: json.data, metadata: { by: "Zoë" }, isJson: true },
      { streamId: stream, id: binary.id, type: "Bytes", data: [...bytes], metadata: [1, 2, 255], isJson: false },
      { streamId: stream, id: empty.id, type: "Empty", data: [], metadata: undefined, isJson: false },
    ]);
    const [first] = await stored(stream);
    assert.ok(first && first.created.getTime() >= before - 60_000 && first.created.getTime() <= Date.now() + 60_000);
  });

  appends("answers with the position of its last event, the same on an idempotent repeat", async () => {
    const stream = newStream();
    const events = newEvents(3);
    const first = await append(stream, "no_stream", events);
    await append(newStream(), "no_stream", newEvents(2));
    const repeated = await append(stream, "no_stream", events);
    assert.equal(repeated, first);
    const { position } = first;
    assert.ok(position);
    const [found] = await eventsOf(client.readAll({ fromPosition: position, maxCount: 1 }));
    assert.equal([found?.streamId, found?.revision], [stream, 2n]);
  });

  appends("refuses an expected revision above the current one", async () => {
    const stream = newStream();
    await append(stream, "no_stream", newEvents(2));
    assert.equal(await wrongVersion(append(stream, 5n, newEvents(1))), wrong(5n, 1n));
    assert.equal(await wrongVersion(append(newStream(), 0n, newEvents(1))), wrong(0n, "no_stream"));
  });

  appends("refuses an expected revision below the current one when the first id is new", async () => {
    const stream = newStream();
    const [one, two] = newEvents(2);
    assert.ok(one && two);
    await append(stream, "no_stream", [one, two]);
    assert.equal(await wrongVersion(append(stream, 0n, newEvents(1))), wrong(0n, 1n));
    assert.equal(await wrongVersion(append(stream, "no_stream", newEvents(1))), wrong("no_stream", 1n));
    assert.equal(await wrongVersion(append(stream, "no_stream", [...newEvents(1), two])), wrong("no_stream", 1n));
  });

  appends("takes a repeat of events in the middle of a stream as done", async () => {
    const stream = newStream();
    const events = newEvents(6);
    await append(stream, "no_stream", events);
    const middle = await append(stream, 1n, events.slice(2, 4));
    assert.is(middle.nextExpectedRevision, 3n);
    const [fourth] = await eventsOf(client.readStream(stream, { fromRevision: 3n, maxCount: 1 }));
    assert.equal(middle.position, fourth?.position);
    assert.is((await stored(stream)).length, 6);
  });

  appends("refuses a repeat of which some events are there and a later one is not", async () => {
    const stream = newStream();
    const events = newEvents(2);
    await append(stream, "no_stream", events);
    assert.equal(await wrongVersion(append(stream, "no_stream", [...events, ...newEvents(1)])), wrong("no_stream", 1n));
    assert.is((await stored(stream)).length, 2);
  });

  appends("with any revision, writes ids seen recently no second time", async () => {
    const stream = newStream();
    const events = newEvents(3);
    const first = await append(stream, "any", events);
    await append(stream, "any", newEvents(1));
    assert.equal(await append(stream, "any", events), first);
    assert.is((await stored(stream)).length, 4);
    const [seen] = events;
    assert.ok(seen);
    assert.is((await append(newStream(), "any", [seen])).nextExpectedRevision, 0n, "another stream has not seen it");
  });

  appends("with any revision, lets the first id decide", async () => {
    const stream = newStream();
    const [seen] = newEvents(1);
    assert.ok(seen);
    await append(stream, "no_stream", [seen]);
    const mixed = await wrongVersion(append(stream, "any", [seen, ...newEvents(1)]));
    assert.equal(mixed, wrong("any", 0n));
    const [fresh] = newEvents(1);
    assert.ok(fresh);
    await append(stream, "any", [fresh, seen]);
    assert.equal(idsOf(await stored(stream)), [seen.id, fresh.id, seen.id]);
  });

  appends("with an existing stream expected, needs one, and writes ids seen recently no second time", async () => {
    const stream = newStream();
    assert.equal(
      await wrongVersion(append(stream, "stream_exists", newEvents(1))),
      wrong("stream_exists", "no_stream"),
    );
    const events = newEvents(2);
    const first = await append(stream, "no_stream", events);
    assert.equal(await append(stream, "stream_exists", events), first);
    assert.is((await append(stream, "stream_exists", newEvents(1))).nextExpectedRevision, 2n);
  });

  appends("checks the expectation alone when there is nothing to append", async () => {
    const stream = newStream();
    await append(stream, "no_stream", newEvents(2));
    assert.is((await append(stream, 1n, [])).success, true);
    assert.is((await append(stream, "any", [])).success, true);
    assert.equal(await wrongVersion(append(stream, 0n, [])), wrong(0n, 1n));
    assert.equal(await wrongVersion(append(stream, 2n, [])), wrong(2n, 1n));
    assert.equal(await wrongVersion(append(newStream(), "stream_exists", [])), wrong("stream_exists", "no_stream"));
    assert.is((await stored(stream)).length, 2);
  });

  appends("writes an append whole: its events stand together, in order", async () => {
    const streams = Array.from({ length: 8 }, () => newStream());
    const batches = streams.map(() => newEvents(200));
    await Promise.all(streams.map((stream, index) => append(stream, "no_stream", batches[index] ?? [])));
    for (const [index, stream] of streams.entries())
      assert.equal(idsOf(await stored(stream)), idsOf(batches[index] ?? []));
  });

  appends("lets one of many that expect the same revision win", async () => {
    const stream = newStream();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => errorOf(append(stream, "no_stream", newEvents(2)))),
    );
    assert.is(outcomes.filter((error) => error === null).length, 1);
    assert.is((await stored(stream)).length, 2);
  });

  appends("takes exactly the maximum append size, and says what it is beyond that", async () => {
    const { maximumAppendSize } = server();
    const sized = (bytes: number) => [binaryEvent({ type: "Large", data: new Uint8Array(bytes - "Large".length * 2) })];
    if (maximumAppendSize !== null) {
      await append(newStream(), "no_stream", sized(maximumAppendSize - 1));
      await append(newStream(), "no_stream", sized(maximumAppendSize));
      const half = maximumAppendSize / 2;
      await append(newStream(), "no_stream", [...sized(half), ...sized(half)]);
      const tooLarge = newStream();
      for (const events of [sized(maximumAppendSize + 1), [...sized(half), ...sized(half + 1)]]) {
        const error = (await errorOf(append(tooLarge, "no_stream", events))) as Record<string, unknown>;
        assert.equal([error.type, error.maxAppendSize], ["maximum-append-size-exceeded", maximumAppendSize]);
      }
      const missing = await errorOf(stored(tooLarge));
      assert.is((missing as Record<string, unknown>).type, "stream-not-found");
    }
    const huge = (await errorOf(append(newStream(), "no_stream", sized(17_000_000)))) as Record<string, unknown>;
    assert.is(huge.type, "maximum-append-size-exceeded");
  });

  appends("needs no credential of its own when the connection has one", async () => {
    const { nextExpectedRevision } = await client.appendToStream(newStream(), newEvents(1), {
      expectedRevision: "no_stream",
    });
    assert.is(nextExpectedRevision, 0n);
  });

  appends("refuses another credential, and none", async () => {
    if (!server().secure) return;
    const stranger = { username: "admin", password: `not ${randomUUID()}` };
    const nobody = EventStoreDBClient.connectionString(server().connectionString);
    const calls = [
      () => client.appendToStream(newStream(), newEvents(1), { credentials: stranger }),
      () => nobody.appendToStream(newStream(), newEvents(1)),
      () => eventsOf(nobody.readAll({ maxCount: 1 })),
      () => eventsOf(client.readAll({ maxCount: 1, credentials: stranger })),
      () => nobody.tombstoneStream(newStream()),
    ];
    for (const call of calls) assert.is(((await errorOf(call())) as Record<string, unknown>).type, "access-denied");
    await nobody.dispose();
  });

  appends.run();
}
