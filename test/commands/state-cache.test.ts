import { setImmediate } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { EventUnreadable } from "../../commands/readable-event.ts";
import { createStateCache, readState, type StateCache } from "../../commands/state-cache.ts";
import type { AppStreamEvent } from "../../domain/apps/events.ts";
import { Undecodable } from "../../domain/event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { recordedAt } from "../examples/recorded-log.ts";

/** The app ids of all events stand for numbers. */
const numbers = {
  initialState: [] as readonly number[],
  evolve: (state: readonly number[], { data }: AppStreamEvent): readonly number[] => [...state, data.appId],
};
const event = (revision: number, stream = "app-1"): RecordedEvent => ({
  ...recordedAt(1_000n + BigInt(revision), { type: "ContextActivated", data: { appId: revision } }),
  stream,
  revision: BigInt(revision),
});

let stored: RecordedEvent[];
let reads: number;
let onRead: () => void;
const log = {
  read: async function* (stream: string) {
    reads += 1;
    const begun = stored.filter((recorded) => recorded.stream === stream);
    onRead();
    yield* begun;
  },
} as unknown as Pick<EventLog, "read">;
let cache: StateCache<readonly number[]>;

const states = suite("a cache of stream states");
states.before.each(() => {
  stored = [event(0)];
  reads = 0;
  onRead = () => undefined;
  cache = createStateCache(log, "app", numbers, { max: 10 });
});

states("reads a whole stream with its revision", async () => {
  stored.push(event(1));
  assert.equal(await readState(log, numbers, "app-1"), { state: [0, 1], revision: 1n });
  assert.equal(await readState(log, numbers, "app-2"), { state: [], revision: -1n });
});

states("reads a stream once, then follows the tail, and ignores older and other events", async () => {
  const first = await cache.get(1);
  assert.is(await cache.get(1), first);
  cache.apply([event(0), event(1), event(1), event(2), event(0, "appRegistry-all")]);
  assert.equal(await cache.get(1), [0, 1, 2]);
  cache.apply([event(1)]);
  assert.equal(await cache.get(1), [0, 1, 2]);
  assert.is(reads, 1);
});

for (const [what, unreadable] of [
  ["of an unknown type", { ...event(1), type: "OfANewerVersion" }],
  ["with damaged data", { ...event(1), data: new Undecodable("no JSON", Buffer.from("{")) }],
] as const) {
  states(`is unknown after an event ${what}, which no other stream is affected by`, async () => {
    stored.push(event(0, "app-2"));
    await Promise.all([cache.get(1), cache.get(2)]);
    stored.push(unreadable as unknown as RecordedEvent);
    cache.apply([unreadable as unknown as RecordedEvent, event(1, "app-2")]);
    assert.equal(await cache.get(2), [0, 1]);
    const failure = await cache.get(1).catch((reason: Error) => reason);
    assert.instance(failure, EventUnreadable);
    assert.match(String(failure), `${unreadable.type} in app-1 at revision 1 cannot be read`);
  });
}

states("reads again after a gap in the tail, and after `forget`", async () => {
  await cache.get(1);
  stored.push(event(1), event(2));
  cache.apply([event(2)]);
  assert.equal(await cache.get(1), [0, 1, 2]);
  stored.push(event(3));
  cache.forget(1);
  assert.equal(await cache.get(1), [0, 1, 2, 3]);
  assert.is(reads, 3);
});

states("never keeps a read that began before the tail delivered more", async () => {
  onRead = () => {
    if (reads > 1) return;
    stored.push(event(1));
    cache.apply([event(1)]);
  };
  assert.equal(await cache.get(1), [0, 1]);
  assert.is(reads, 2);
});

states("returns what it can read when the log stays behind the tail, and does not keep it", async () => {
  cache.apply([event(1)]);
  assert.equal(await cache.get(1), [0]);
  stored.push(event(1));
  assert.equal(await cache.get(1), [0, 1]);
  assert.is(reads, 4);
});

states("reads a stream again after its time to live", async () => {
  cache = createStateCache(log, "app", numbers, { max: 10, ttlMs: 1 });
  assert.equal(await cache.get(1), [0]);
  stored.push(event(1));
  while ((await cache.get(1)).length < 2) await setImmediate();
  assert.equal(await cache.get(1), [0, 1]);
});

states("keeps states up to a total size", async () => {
  stored = [event(0), event(1), event(0, "app-2"), event(1, "app-2"), event(0, "app-3")];
  const size = { maxBytes: 3, of: (state: readonly number[]) => state.length };
  cache = createStateCache(log, "app", numbers, { max: 10, size });
  for (const id of [1, 3, 2]) await cache.get(id);
  assert.is(reads, 3);
  assert.equal([await cache.get(3), await cache.get(2), reads], [[0], [0, 1], 3]);
  assert.equal([await cache.get(1), reads], [[0, 1], 4]);
});

states.run();
