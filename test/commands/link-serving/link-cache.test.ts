import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createLinkCache, type LinkCacheOptions } from "../../../commands/link-serving/link-cache.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { trackingLinkStream } from "../../../domain/streams.ts";
import type { TrackingLinkEvent } from "../../../domain/tracking-links/events.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { recordedLog } from "../../examples/recorded-log.ts";
import { aLink, noFallbacks } from "../../examples/tracking-links.ts";

const { linkId } = aLink().data;
const changed = (deeplinkUrl: string): TrackingLinkEvent => ({
  type: "RoutingChanged",
  data: { linkId, deeplinkUrl, fallbackPaths: noFallbacks },
});
const history = recordedLog<TrackingLinkEvent>([aLink(), changed("shop://second"), changed("shop://third")]).map(
  (event, revision): RecordedEvent => ({ ...event, stream: trackingLinkStream(linkId), revision: BigInt(revision) }),
);

/** A cache over a stream that holds the first `written` events, and what it has read. */
function given(written: number, options: Partial<LinkCacheOptions> = {}) {
  const world = { written, reads: 0, now: 1_000, available: true };
  const cache = createLinkCache({
    log: {
      async *read() {
        world.reads += 1;
        const seen = history.slice(0, world.written);
        await Promise.resolve();
        if (!world.available) throw new EventLogUnavailable("no");
        yield* seen as never[];
      },
    },
    storedLink: async () => null,
    now: () => world.now,
    ...options,
  });
  const deeplink = async (): Promise<string | null | undefined> => (await cache.find(linkId))?.link.deeplinkUrl;
  return { world, cache, deeplink, tail: (revision: number) => cache.apply(history.slice(revision, revision + 1)) };
}

/** A cache over a log without links, which answers no read until `answer`. */
function givenSlowLog() {
  const log = { reads: 0, answer: (): void => {} };
  const answered = new Promise<void>((resolve) => {
    log.answer = resolve;
  });
  const { cache } = given(0, {
    log: {
      async *read() {
        log.reads += 1;
        await answered;
        yield* [];
      },
    },
    logTimeoutMs: 60_000,
  });
  return { cache, log };
}

const filling = suite("a link that is not cached");

filling("is read from its stream, once for concurrent lookups", async () => {
  const { world, cache, deeplink } = given(2);
  assert.equal(await Promise.all([deeplink(), deeplink(), deeplink()]), Array(3).fill("shop://second"));
  assert.equal(cache.find(linkId), { link: { ...aLink().data, deeplinkUrl: "shop://second" }, revision: 1n });
  assert.is(world.reads, 1);
});

filling("is looked up while fewer than 1,000 other look-ups are in progress", async () => {
  const { cache, log } = givenSlowLog();
  const finding = Array.from({ length: 1_000 }, (_, number) => cache.find(number));
  const refused = await Promise.resolve(cache.find(1_000)).catch((failure: unknown) => failure);
  assert.ok(refused instanceof EventLogUnavailable);
  const joined = cache.find(999);
  log.answer();
  assert.equal(await Promise.all([...finding, joined]), Array(1_001).fill(null));
  assert.is(await cache.find(1_000), null);
});

filling("waits while ingest looks up 64 other links, and leaves visitors their places", async () => {
  const { cache, log } = givenSlowLog();
  const finding: unknown[] = [];
  for (const [count, expected] of [
    [63, 63],
    [64, 64],
    [65, 64],
    [64 + 500, 64],
  ] as const) {
    while (finding.length < count) finding.push(cache.findForIngest(finding.length));
    assert.is(log.reads, expected);
  }
  const refused = await Promise.resolve(cache.findForIngest(20_000)).catch((failure: unknown) => failure);
  assert.ok(refused instanceof EventLogUnavailable);
  const visited = Array.from({ length: 1_000 - 64 }, (_, number) => cache.find(30_000 + number));
  assert.is(log.reads, 1_000);
  log.answer();
  assert.equal(await Promise.all([...finding, ...visited]), Array(1_000 + 500).fill(null));
  assert.is(await cache.findForIngest(20_000), null);
});

filling("looks up a link that many events name once, also while it waits", async () => {
  const { cache, log } = givenSlowLog();
  const finding = Array.from({ length: 65 }, (_, linkId) => cache.findForIngest(linkId));
  for (let again = 0; again < 1_000; again += 1) finding.push(cache.findForIngest(0), cache.findForIngest(64));
  assert.is(log.reads, 64);
  log.answer();
  assert.equal(await Promise.all(finding), Array(65 + 2_000).fill(null));
  assert.is(log.reads, 65);
});

filling("is read again when the tail was ahead of the read", async () => {
  const { world, deeplink, tail } = given(1);
  const found = deeplink();
  world.written = 2;
  tail(1);
  assert.is(await found, "shop://second");
  assert.is(world.reads, 2);
});

filling("is read again within five minutes of a change that a lagging replica lacks", async () => {
  const { world, deeplink, tail } = given(1);
  tail(1);
  assert.is(await deeplink(), "shop://sale/spring");
  world.written = 2;
  assert.is(await deeplink(), "shop://second");
  world.reads = 0;
  assert.is(await deeplink(), "shop://second");
  assert.is(world.reads, 0);
});

filling("is cached without the change after five minutes, and not before", async () => {
  const { world, deeplink, tail } = given(1);
  tail(1);
  world.now += 5 * 60_000;
  await deeplink();
  world.reads = 0;
  await deeplink();
  assert.is(world.reads, 3);
  world.now += 1;
  await deeplink();
  world.reads = 0;
  await deeplink();
  assert.is(world.reads, 0);
});

filling("comes from the read model while the event log does not respond", async () => {
  const stored = { link: aLink().data, revision: 0n };
  const { world, deeplink } = given(1, { storedLink: async () => stored });
  world.available = false;
  assert.is(await deeplink(), "shop://sale/spring");
});

filling("comes from the read model when the event log is slow, and is cached", async () => {
  const stored = { link: aLink().data, revision: 0n };
  const never = new Promise<never>(() => {});
  let reads = 0;
  const { cache, deeplink } = given(1, {
    log: {
      async *read() {
        reads += 1;
        yield await never;
      },
    },
    storedLink: async () => stored,
  });
  assert.is(await deeplink(), "shop://sale/spring");
  assert.equal([cache.find(linkId), reads], [stored, 1]);
});

filling("comes from the read model after a change that this version cannot read", async () => {
  const stored = { link: { ...aLink().data, deeplinkUrl: "shop://second" }, revision: 1n };
  const { world, cache, deeplink } = given(2, {
    log: {
      async *read() {
        world.reads += 1;
        yield* [...history.slice(0, 2), unreadable].slice(0, world.written) as never[];
      },
    },
    storedLink: async () => stored,
  });
  const unreadable = { ...history[2], type: "OfANewerVersion" } as unknown as RecordedEvent;
  await deeplink();
  world.written = 3;
  cache.apply([unreadable]);
  world.reads = 0;
  assert.equal([await deeplink(), world.reads], ["shop://second", 1]);
});

filling("waits for a slow event log when the read model lacks it", async () => {
  const { deeplink } = given(1, {
    log: {
      async *read() {
        await pause(30);
        yield* history.slice(0, 1) as never[];
      },
    },
    logTimeoutMs: 5,
  });
  assert.is(await deeplink(), "shop://sale/spring");
});

filling("is not reported missing while the event log does not respond", async () => {
  const { world, deeplink } = given(0);
  world.available = false;
  const failure = await deeplink().catch((error: unknown) => error);
  assert.instance(failure, EventLogUnavailable);
});

const missing = suite("a link that does not exist");

missing("is looked up once in two seconds, and until then known to be missing", async () => {
  const { world, cache, deeplink } = given(0);
  assert.is(cache.cached(linkId), undefined);
  assert.equal([await deeplink(), await deeplink(), cache.cached(linkId)], [undefined, undefined, null]);
  world.now += 2_000;
  assert.equal([await deeplink(), cache.cached(linkId), world.reads], [undefined, null, 1]);
  world.now += 1;
  assert.is(cache.cached(linkId), undefined);
  assert.equal([await deeplink(), world.reads], [undefined, 2]);
});

missing("is found at once when the tail delivers its creation", async () => {
  const { world, deeplink, tail } = given(0);
  await deeplink();
  world.written = 1;
  tail(0);
  assert.is(await deeplink(), "shop://sale/spring");
});

missing("is found at once when it was created by this process", async () => {
  const { world, cache, deeplink } = given(0);
  await deeplink();
  world.written = 1;
  cache.forgetMiss(linkId);
  assert.is(await deeplink(), "shop://sale/spring");
});

const cached = suite("a cached link");

cached("follows the tail without reading", async () => {
  const { world, deeplink, tail } = given(1);
  await deeplink();
  tail(1);
  assert.is(await deeplink(), "shop://second");
  tail(2);
  assert.is(await deeplink(), "shop://third");
  assert.is(world.reads, 1);
});

cached("ignores events that it has applied", async () => {
  const { deeplink, tail } = given(3);
  await deeplink();
  for (const revision of [0, 1, 2]) tail(revision);
  assert.is(await deeplink(), "shop://third");
});

cached("is read again when the tail has skipped a change", async () => {
  const { world, deeplink, tail } = given(1);
  await deeplink();
  world.written = 3;
  tail(2);
  assert.is(await deeplink(), "shop://third");
  assert.is(world.reads, 2);
});

cached("is evicted when there are too many", async () => {
  const { world, cache, deeplink } = given(1, { maxLinks: 1 });
  await deeplink();
  await cache.find(7);
  await deeplink();
  assert.is(world.reads, 3);
});

filling.run();
missing.run();
cached.run();
