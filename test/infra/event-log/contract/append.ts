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
import { errorOf, idsOf, newStream } from "../event-log-client.ts";
import { clientOf, eventsOf, newEvents, type ServerUnderTest } from "./client.ts";

interface RevisionRule {
  readonly rule: string;
  /** Events of the stream before the append, a letter each. */
  readonly stored: string;
  readonly expected: AppendExpectedRevision;
  readonly append: string;
  /** "repeated": nothing is written, as the events are stored already. */
  readonly outcome: "written" | "repeated" | "refused";
}

const revisionRules: readonly RevisionRule[] = [
  { rule: "above the current revision", stored: "ab", expected: 5n, append: "x", outcome: "refused" },
  { rule: "above the current revision", stored: "", expected: 0n, append: "x", outcome: "refused" },
  { rule: "below, the first id is new", stored: "ab", expected: 0n, append: "x", outcome: "refused" },
  { rule: "below, the first id is new", stored: "ab", expected: "no_stream", append: "x", outcome: "refused" },
  { rule: "below, the first id is new", stored: "ab", expected: "no_stream", append: "xb", outcome: "refused" },
  { rule: "below, exactly these events follow", stored: "abcd", expected: 0n, append: "bc", outcome: "repeated" },
  { rule: "below, a later event is new", stored: "ab", expected: "no_stream", append: "abx", outcome: "refused" },
  { rule: "any revision, all ids are known", stored: "abc", expected: "any", append: "ab", outcome: "repeated" },
  { rule: "any revision, the first id decides", stored: "a", expected: "any", append: "ax", outcome: "refused" },
  { rule: "any revision, the first id decides", stored: "a", expected: "any", append: "xa", outcome: "written" },
  { rule: "an existing stream", stored: "", expected: "stream_exists", append: "x", outcome: "refused" },
  { rule: "an existing stream", stored: "ab", expected: "stream_exists", append: "x", outcome: "written" },
  { rule: "an existing stream, known ids", stored: "ab", expected: "stream_exists", append: "ab", outcome: "repeated" },
  { rule: "the current revision, no events", stored: "ab", expected: 1n, append: "", outcome: "written" },
  { rule: "any revision, no events", stored: "ab", expected: "any", append: "", outcome: "written" },
  { rule: "below, no events", stored: "ab", expected: 0n, append: "", outcome: "refused" },
  { rule: "above, no events", stored: "ab", expected: 2n, append: "", outcome: "refused" },
  { rule: "an existing stream, no events", stored: "", expected: "stream_exists", append: "", outcome: "refused" },
];

/** The client sends a plain append for a call with a credential, otherwise a batch append. */
type AppendMethod = "plain" | "batch";

export function appendContract(name: string, server: () => ServerUnderTest, method: AppendMethod): void {
  const appends = suite(name);
  let client: EventStoreDBClient;
  appends.before(() => {
    client = clientOf(server());
  });
  appends.after(() => client.dispose());

  const append = (stream: string, expectedRevision: AppendExpectedRevision, events: EventData[]) =>
    client.appendToStream(stream, events, {
      expectedRevision,
      ...(method === "plain" ? { credentials: server().credentials } : {}),
    });
  const stored = (stream: string) => eventsOf(client.readStream(stream));
  const wrongVersion = async (call: Promise<unknown>) => {
    const error = await errorOf(call);
    const { type, expectedVersion, actualVersion } = error as Record<string, unknown>;
    return { type, expectedVersion, actualVersion };
  };

  appends("writes to a new stream, and then at its last revision", async () => {
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

  appends("returns events as they were written: JSON, bytes, metadata, names in any script", async () => {
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

  appends("returns the position of its last event, the same on an idempotent repeat", async () => {
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

  for (const { rule, stored: before, expected, append: letters, outcome } of revisionRules) {
    const title = `${outcome}: ${rule} (${before || "no stream"}, ${expected}, ${letters || "no events"})`;
    appends(title, async () => {
      const stream = newStream();
      const byLetter = new Map([..."abcdx"].map((letter, index) => [letter, newEvents(5)[index]]));
      const eventsOfLetters = (text: string) => [...text].flatMap((letter) => byLetter.get(letter) ?? []);
      if (before !== "") await append(stream, "no_stream", eventsOfLetters(before));
      const call = append(stream, expected, eventsOfLetters(letters));
      if (outcome === "refused") {
        const actual = before === "" ? "no_stream" : BigInt(before.length - 1);
        assert.equal(await wrongVersion(call), {
          type: "wrong-expected-version",
          expectedVersion: expected,
          actualVersion: actual,
        });
      } else {
        const after = outcome === "written" ? before + letters : before;
        const last = outcome === "written" ? after.length - 1 : before.indexOf(letters) + letters.length - 1;
        const { nextExpectedRevision, position } = await call;
        const found = await stored(stream);
        assert.equal(idsOf(found), idsOf(eventsOfLetters(after)));
        if (letters !== "") assert.equal([nextExpectedRevision, position], [BigInt(last), found[last]?.position]);
      }
    });
  }

  appends("without events answers a position of the log", async () => {
    const before = (await append(newStream(), "any", newEvents(1))).position;
    const { position } = await append(newStream(), "no_stream", []);
    assert.ok(before && position && position.commit >= before.commit);
  });

  appends("knows ids of its own stream only", async () => {
    const events = newEvents(1);
    await append(newStream(), "any", events);
    assert.is((await append(newStream(), "any", events)).nextExpectedRevision, 0n);
  });

  appends("writes an append as a whole, in order", async () => {
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

  appends("accepts exactly the maximum append size, and reports it beyond that", async () => {
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
    const huge = (await errorOf(append(newStream(), "no_stream", sized(8_000_000)))) as {
      readonly type?: string;
    } | null;
    // KurrentDB accepts it from 25.1 on, or refuses the event, which the client does not know.
    const others = maximumAppendSize === null ? ["accepted", "unknown"] : [];
    assert.ok(["maximum-append-size-exceeded", ...others].includes(huge === null ? "accepted" : (huge.type ?? "")));
  });

  appends("needs no credential of its own when the connection has one", async () => {
    const { nextExpectedRevision } = await client.appendToStream(newStream(), newEvents(1), {
      expectedRevision: "no_stream",
    });
    assert.is(nextExpectedRevision, 0n);
  });

  appends("refuses a wrong or missing credential", async () => {
    if (!server().secure) return;
    const wrong = { username: "admin", password: `not ${randomUUID()}` };
    const anonymous = EventStoreDBClient.connectionString(server().connectionString);
    const calls = [
      () => client.appendToStream(newStream(), newEvents(1), { credentials: wrong }),
      () => anonymous.appendToStream(newStream(), newEvents(1)),
      () => eventsOf(anonymous.readAll({ maxCount: 1 })),
      () => eventsOf(client.readAll({ maxCount: 1, credentials: wrong })),
      () => anonymous.tombstoneStream(newStream()),
      () => anonymous.deleteStream(newStream()),
    ];
    for (const call of calls) assert.is(((await errorOf(call())) as Record<string, unknown>).type, "access-denied");
    await anonymous.dispose();
  });

  appends.run();
}
