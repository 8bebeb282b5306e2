import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { startTestLog } from "../../support/event-store.ts";
import { appended, errorOf, firstOf, headOf, idsOf, newStream, someEvents } from "./event-log-client.ts";

const store = await startTestLog({ deadlineMs: 5_000 });
const { log } = store;

const subscriptions = suite("event log: subscribe");

subscriptions("delivers stored and new events, in order, in batches that are neither empty nor too large", async () => {
  const from = await headOf(log);
  const stream = newStream();
  const events = someEvents(1_200);
  await appended(log, stream, "no_stream", events.slice(0, 500));
  await appended(log, stream, 499n, events.slice(500, 1_000));
  const subscription = log.subscribe({ from, maxBatch: 300 });
  const late = appended(log, stream, 999n, events.slice(1_000));
  const batches = await firstOf(subscription, 1_200);
  await late;
  assert.equal(batches.flatMap(idsOf), idsOf(events));
  assert.ok(batches.every(({ length }) => length > 0 && length <= 300));
});

subscriptions("queues at most a few megabytes while the consumer works, however large the events are", async () => {
  const from = await headOf(log);
  const stream = newStream();
  const large = someEvents(40).map((event) => ({ ...event, data: new Uint8Array(900 * 1024) }));
  for (const [revision, event] of large.entries()) {
    await appended(log, stream, revision === 0 ? "no_stream" : BigInt(revision - 1), [event]);
  }
  const batches: (readonly RecordedEvent[])[] = [];
  for await (const batch of log.subscribe({ from })) {
    batches.push(batch);
    if (batches.flat().length === large.length) break;
    // Work that takes longer than the rest needs to come in.
    for await (const _event of log.read(stream));
  }
  assert.equal(batches.flatMap(idsOf), idsOf(large));
  assert.ok(
    batches.every(({ length }) => length <= 10),
    `batches of ${batches.map(({ length }) => length)}`,
  );
  assert.ok(
    batches.some(({ length }) => length >= 9),
    "batches reach the limit",
  );
});

subscriptions("starts after its position", async () => {
  const events = someEvents(5);
  const stream = newStream();
  const { position } = await appended(log, stream, "no_stream", events.slice(0, 2));
  await appended(log, stream, 1n, events.slice(2));
  assert.equal((await firstOf(log.subscribe({ from: position }), 3)).flatMap(idsOf), idsOf(events.slice(2)));
});

subscriptions("delivers events that arrived while the consumer worked together", async () => {
  const from = await headOf(log);
  const stream = newStream();
  await appended(log, stream, "no_stream", someEvents(1));
  const sizes: number[] = [];
  for await (const batch of log.subscribe({ from })) {
    sizes.push(batch.length);
    if (sizes.reduce((sum, size) => sum + size) === 21) break;
    if (sizes.length > 1) continue;
    const others = log.subscribe({ from });
    for (let revision = 0n; revision < 20n; revision++) await appended(log, stream, revision, someEvents(1));
    const sent: string[] = [];
    for await (const batch of others) if (sent.push(...idsOf(batch)) === 21) break;
  }
  // A server sends to each subscription in its own time: the last ones may come a moment later than to the others.
  assert.equal([sizes[0], sizes.length <= 3], [1, true], `${sizes}`);
});

subscriptions("ends when it is closed, also twice", async () => {
  const closed = log.subscribe({ from: await headOf(log) });
  const end = firstOf(closed, 1);
  closed.close();
  closed.close();
  assert.equal(await end, []);
});

subscriptions("ends when its consumer throws, and the log stays usable", async () => {
  const from = await headOf(log);
  await appended(log, newStream(), "no_stream", someEvents(3));
  const failing = async () => {
    for await (const _ of log.subscribe({ from })) throw new Error("the loop failed");
  };
  assert.match(String(await errorOf(failing())), "the loop failed");
  assert.is((await firstOf(log.subscribe({ from }), 3)).flat().length, 3);
});

subscriptions("applies back-pressure to the server while the consumer works", async () => {
  const from = await headOf(log);
  const stream = newStream();
  for (let batch = 0; batch < 20; batch++)
    await appended(log, stream, batch === 0 ? "no_stream" : BigInt(batch * 500 - 1), someEvents(500, batch * 500));
  const seen: unknown[] = [];
  for await (const batch of log.subscribe({ from, maxBatch: 100 })) {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(...batch.map(({ data }) => (data as unknown as { index: number }).index));
    if (seen.length === 10_000) break;
  }
  assert.equal(
    seen,
    Array.from({ length: 10_000 }, (_, index) => index),
  );
});

subscriptions.after(() => store.close());

subscriptions.run();
