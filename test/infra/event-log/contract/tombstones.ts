import type { EventStoreDBClient } from "@eventstore/db-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { errorOf, newStream } from "../event-log-client.ts";
import { clientOf, eventsOf, headOf, listenTo, newEvents, type ServerUnderTest } from "./client.ts";

export function tombstoneContract(name: string, server: () => ServerUnderTest): void {
  const tombstones = suite(`${name}: tombstone`);
  let client: EventStoreDBClient;
  tombstones.before(() => {
    client = clientOf(server());
  });
  tombstones.after(() => client.dispose());

  const typeOf = async (call: Promise<unknown>) => ((await errorOf(call)) as Record<string, unknown> | null)?.type;

  tombstones("closes a stream for ever", async () => {
    const stream = newStream();
    const events = newEvents(2);
    await client.appendToStream(stream, events, { expectedRevision: "no_stream" });
    await client.tombstoneStream(stream, { expectedRevision: 1n });
    for (const expectedRevision of ["any", "no_stream", "stream_exists", 1n] as const)
      assert.is(await typeOf(client.appendToStream(stream, newEvents(1), { expectedRevision })), "stream-deleted");
    assert.is(await typeOf(client.appendToStream(stream, events, { expectedRevision: "no_stream" })), "stream-deleted");
    assert.is(await typeOf(eventsOf(client.readStream(stream))), "stream-deleted");
    assert.is(await typeOf(client.tombstoneStream(stream)), "stream-deleted");
    const error = (await errorOf(eventsOf(client.readStream(stream)))) as Record<string, unknown>;
    assert.is(error.streamName, stream);
  });

  tombstones("checks the expected revision", async () => {
    const stream = newStream();
    await client.appendToStream(stream, newEvents(2), { expectedRevision: "no_stream" });
    for (const expectedRevision of ["no_stream", 0n, 7n] as const)
      assert.is(await typeOf(client.tombstoneStream(stream, { expectedRevision })), "wrong-expected-version");
    assert.is((await eventsOf(client.readStream(stream))).length, 2);
  });

  tombstones("closes a stream without events", async () => {
    const stream = newStream();
    await client.tombstoneStream(stream, { expectedRevision: "no_stream" });
    assert.is(await typeOf(client.appendToStream(stream, newEvents(1))), "stream-deleted");
  });

  tombstones("leaves the events in the log, followed by itself at the position it returns", async () => {
    const stream = newStream();
    const before = await headOf(client);
    await client.appendToStream(stream, newEvents(2), { expectedRevision: "no_stream" });
    const { position } = await client.tombstoneStream(stream);
    const log = await eventsOf(client.readAll({ fromPosition: before }));
    const found = log.filter(({ streamId }) => streamId === stream);
    assert.equal(
      found.map(({ type }) => type),
      ["ThingHappened", "ThingHappened", "$streamDeleted"],
    );
    assert.equal(found[2]?.position, position);
    assert.is(found[2]?.revision, 9223372036854775807n);
  });

  tombstones("ends existing and later subscriptions to the stream", async () => {
    const stream = newStream();
    await client.appendToStream(stream, newEvents(2), { expectedRevision: "no_stream" });
    const early = listenTo(client.subscribeToStream(stream));
    await early.first(2);
    await client.tombstoneStream(stream);
    assert.is(((await early.failure) as unknown as Record<string, unknown>).type, "stream-deleted");
    const late = listenTo(client.subscribeToStream(stream));
    assert.is(((await late.failure) as unknown as Record<string, unknown>).type, "stream-deleted");
  });

  tombstones.run();
}
