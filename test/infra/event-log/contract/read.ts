import type { EventStoreDBClient, Position, RecordedEvent } from "@eventstore/db-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { errorOf, idsOf, newStream } from "../event-log-client.ts";
import { clientOf, eventsOf, headOf, newEvents, type ServerUnderTest } from "./client.ts";

export function readContract(name: string, server: () => ServerUnderTest): void {
  readStreamContract(name, server);
  readAllContract(name, server);
}

function readStreamContract(name: string, server: () => ServerUnderTest): void {
  const reads = suite(`${name}: read a stream`);
  const stream = newStream();
  const events = newEvents(600);
  const ids = idsOf(events);
  let client: EventStoreDBClient;
  reads.before(async () => {
    client = clientOf(server());
    await client.appendToStream(stream, events.slice(0, 300), { expectedRevision: "no_stream" });
    await client.appendToStream(newStream(), newEvents(10), { expectedRevision: "no_stream" });
    await client.appendToStream(stream, events.slice(300), { expectedRevision: 299n });
  });
  reads.after(() => client.dispose());

  const read = async (options: Parameters<EventStoreDBClient["readStream"]>[1]) =>
    idsOf(await eventsOf(client.readStream(stream, options)));

  reads("forwards, from the start and from a revision, itself included", async () => {
    assert.equal(await read({}), ids);
    assert.equal(await read({ fromRevision: 290n }), ids.slice(290));
    assert.equal(await read({ fromRevision: 290n, maxCount: 20 }), ids.slice(290, 310));
    assert.equal(await read({ fromRevision: 599n }), ids.slice(599));
    assert.equal(await read({ maxCount: 1 }), ids.slice(0, 1));
  });

  reads("forwards from beyond the end: nothing; from the end: refused", async () => {
    assert.match(String(await errorOf(read({ fromRevision: "end" }))), /Unexpected ReadStreamResult/);
    assert.equal(await read({ fromRevision: 600n }), []);
    assert.equal(await read({ fromRevision: 10_000n }), []);
  });

  reads("backwards, from the end and from a revision, itself included", async () => {
    const newestFirst = ids.toReversed();
    assert.equal(await read({ direction: "backwards", fromRevision: "end" }), newestFirst);
    assert.equal(await read({ direction: "backwards", fromRevision: "end", maxCount: 350 }), newestFirst.slice(0, 350));
    assert.equal(await read({ direction: "backwards", fromRevision: 5n }), ids.slice(0, 6).toReversed());
    assert.equal(
      await read({ direction: "backwards", fromRevision: 305n, maxCount: 10 }),
      ids.slice(296, 306).toReversed(),
    );
    assert.equal(await read({ direction: "backwards", fromRevision: "start" }), ids.slice(0, 1));
  });

  reads("reports that a stream does not exist", async () => {
    for (const direction of ["forwards", "backwards"] as const) {
      const missing = newStream();
      const fromRevision = direction === "forwards" ? "start" : "end";
      const error = await errorOf(eventsOf(client.readStream(missing, { direction, fromRevision })));
      const { type, streamName } = error as Record<string, unknown>;
      assert.equal([type, streamName], ["stream-not-found", missing]);
    }
  });

  reads.run();
}

function readAllContract(name: string, server: () => ServerUnderTest): void {
  const reads = suite(`${name}: read the log`);
  const streams = [newStream(), newStream()] as const;
  let client: EventStoreDBClient;
  let before: Position | "start";
  /** Everything after `before`: on a server that tests share, also events of others, which limits of reads count. */
  let all: readonly RecordedEvent[];
  /** Everything that was appended here, in the order of the log. */
  let ours: readonly RecordedEvent[];
  reads.before(async () => {
    client = clientOf(server());
    before = await headOf(client);
    for (let round = 0; round < 5; round++)
      for (const stream of streams)
        await client.appendToStream(stream, newEvents(80), { expectedRevision: round === 0 ? "no_stream" : "any" });
    all = await eventsOf(client.readAll({ fromPosition: before }));
    ours = all.filter(isOurs);
  });
  reads.after(() => client.dispose());

  const isOurs = ({ streamId }: RecordedEvent) => streams.some((stream) => stream === streamId);
  const placeOf = (index: number): Position => {
    const { position } = ours[index] ?? {};
    assert.ok(position);
    return position;
  };
  const read = async (options: Parameters<EventStoreDBClient["readAll"]>[0]) =>
    idsOf((await eventsOf(client.readAll(options))).filter(isOurs));

  reads("returns every event once, in the order of the appends, at rising positions", () => {
    assert.is(ours.length, 800);
    const revisions = streams.map((stream) => ours.filter(({ streamId }) => streamId === stream));
    for (const each of revisions)
      assert.equal(
        each.map(({ revision }) => revision),
        Array.from({ length: 400 }, (_, index) => BigInt(index)),
      );
    const rising = ours.every((_, index) => index === 0 || placeOf(index - 1).commit < placeOf(index).commit);
    assert.ok(rising);
  });

  reads("forwards from a position: itself included", async () => {
    assert.equal(await read({ fromPosition: placeOf(400) }), idsOf(ours.slice(400)));
    assert.equal(await read({ fromPosition: placeOf(400), maxCount: 1 }), idsOf(ours.slice(400, 401)));
    assert.equal(await read({ fromPosition: placeOf(799), maxCount: 1 }), idsOf(ours.slice(799)));
  });

  reads("forwards from the end: nothing", async () => {
    assert.equal(await read({ fromPosition: "end" }), []);
  });

  reads("backwards from a position: from the event before it", async () => {
    const backwards = async (index: number, maxCount: number) =>
      idsOf(await eventsOf(client.readAll({ direction: "backwards", fromPosition: placeOf(index), maxCount })));
    const newestFirstBefore = (index: number, count: number) => {
      const end = all.findIndex(({ id }) => id === ours[index]?.id);
      return idsOf(all.slice(end - count, end)).toReversed();
    };
    assert.equal(await backwards(400, 300), newestFirstBefore(400, 300));
    assert.equal(await backwards(1, 1), newestFirstBefore(1, 1));
  });

  reads("backwards from the end, and from the start: nothing", async () => {
    const newestFirst = await eventsOf(client.readAll({ direction: "backwards", fromPosition: "end", maxCount: 800 }));
    const oldest = newestFirst.at(-1)?.position;
    assert.ok(oldest);
    const forwards = await eventsOf(client.readAll({ fromPosition: oldest, maxCount: 800 }));
    assert.equal(idsOf(newestFirst).toReversed(), idsOf(forwards));
    assert.ok(oldest.commit >= placeOf(0).commit);
    assert.ok((newestFirst[0]?.position?.commit ?? 0n) >= placeOf(799).commit);
    assert.equal(await read({ direction: "backwards", fromPosition: "start" }), []);
  });

  reads.run();
}
