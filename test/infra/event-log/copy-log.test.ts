// time limit: 180 s
import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { logClaimsStream } from "../../../domain/streams.ts";
import { decodeContent, type StoredContent } from "../../../infra/event-log/codec.ts";
import { copyLog, LogCopyRefused } from "../../../infra/event-log/copy-log.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import type { StoredLog } from "../../../infra/event-log/stored-log.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { recordedModels, replayedModels, storedEvents } from "../../golden/log/recorded-log.ts";
import { startTestLog, type TestLog } from "../../support/event-store.ts";
import { testPostgres } from "../../support/stores.ts";
import { someEvents } from "./event-log-client.ts";
import { eventsOf, kept, logOf, storedLogAt } from "./stored-logs.ts";

const silent = (): void => undefined;
const source = logOf(storedEvents());
/** Claims are left out. */
const recorded = storedEvents().filter(({ stream }) => stream !== logClaimsStream);
const [count, head] = [recorded.length, recorded.at(-1)?.position.commit];

const copies = suite<{ test: TestLog; target: StoredLog; opened: (TestLog | StoredLog)[] }>("A copy of a log");
copies.before.each(async (world) => {
  world.test = await startTestLog();
  world.target = storedLogAt(world.test.environment);
  world.opened = [world.target, world.test];
});
copies.after.each(async ({ opened }) => {
  for (const each of opened) await each.close();
});

copies("keeps events, ids, revisions, order and times, and replays to the recorded hashes", async (world) => {
  // Events of others come first, so that all positions are others.
  await world.test.log.append("order-1", "no_stream", someEvents(7));
  const first = await copyLog(source, world.target, silent);
  assert.equal(first, { copied: count, events: count, position: head });
  const second = await startTestLog();
  const again = storedLogAt(second.environment);
  world.opened.push(again, second);
  await copyLog(world.target, again, silent);

  const [copied, copiedAgain] = [await eventsOf(world.target), await eventsOf(again)];
  assert.equal([copied.map(kept), copiedAgain.map(kept)], [recorded.map(kept), recorded.map(kept)]);
  const metadataOf = (events: readonly StoredContent[]) => events.map(({ metadata }) => metadata.toString());
  assert.equal(
    metadataOf(copied),
    recorded.map(
      ({ metadata, recordedAt }) => `${metadata.toString().slice(0, -1)},"recordedAt":"${recordedAt.toISOString()}"}`,
    ),
  );
  assert.equal(metadataOf(copiedAgain), metadataOf(copied));
  const decoded = copied.map(decodeContent);
  const withoutPlace = (event: ReturnType<typeof decodeContent>) => ({ ...event, position: null });
  assert.equal(decoded.map(withoutPlace), recorded.map(decodeContent).map(withoutPlace));

  const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test" });
  assert.equal(await replayedModels(db, decoded).finally(() => db.destroy()), recordedModels());
});

copies("goes on where one has ended that lost its target, before or after its last append", async ({ target }) => {
  for (const [appends, isStored] of [
    [0, false],
    [20, false],
    [30, true],
  ] as const) {
    const failure = await copyLog(source, failingAfter(target, appends, isStored), silent).catch((thrown) => thrown);
    assert.is(failure.store, "target");
  }
  const before = await eventsOf(target);
  assert.ok(before.length > 50 && before.length < count, String(before.length));
  const { copied, events } = await copyLog(source, target, silent);
  assert.equal([copied, events], [count - before.length, count]);
  assert.equal((await eventsOf(target)).map(kept), recorded.map(kept));
});

copies("doubles nothing when several run at once, also up to another head", async ({ target }) => {
  const heads = [120, 200, count];
  const runs = heads.map((head) => copyLog(logOf(recorded.slice(0, head)), target, silent).catch((thrown) => thrown));
  for (const outcome of await Promise.all(runs)) {
    assert.ok(!(outcome instanceof Error) || outcome instanceof LogCopyRefused, String(outcome));
  }
  await copyLog(source, target, silent);
  assert.equal((await eventsOf(target)).map(kept), recorded.map(kept));
});

copies("follows a source that grows", async ({ target }) => {
  const counts = [];
  for (const length of [1, 100, 100, count]) {
    counts.push(await copyLog(logOf(recorded.slice(0, length)), target, silent));
  }
  assert.equal(counts, [
    { copied: 1, events: 1, position: recorded[0]?.position.commit },
    { copied: 99, events: 100, position: recorded[99]?.position.commit },
    { copied: 0, events: 100, position: recorded[99]?.position.commit },
    { copied: count - 100, events: count, position: head },
  ]);
});

copies("repeats an append while a cluster elects a leader", async ({ target }) => {
  let failures = 0;
  const electing: StoredLog = {
    ...target,
    append: async (...append) => {
      failures += 1;
      if (failures === 3) throw new EventLogUnavailable("no leader");
      return target.append(...append);
    },
  };
  assert.is((await copyLog(logOf(recorded.slice(0, 20)), electing, silent)).events, 20);
});

copies("ends at the head that the source had when it began, and follows from there", async ({ target }) => {
  const growing: StoredLog = {
    ...logOf(recorded.slice(0, 20)),
    headPosition: logOf(recorded.slice(0, 10)).headPosition,
  };
  assert.equal(await copyLog(growing, target, silent), {
    ...{ copied: 10, events: 10 },
    position: recorded[9]?.position.commit,
  });
  assert.is((await eventsOf(target)).length, 10);
});

copies("is refused when the target has lost events that it had acknowledged", async ({ target }) => {
  let appends = 0;
  const forgetful: StoredLog = {
    ...target,
    append: async (stream, expected, events) => {
      appends += 1;
      if (appends <= 3) return target.append(stream, expected, events);
      const position = { commit: 9n, prepare: 9n };
      return { outcome: "appended", revision: (events.at(-1) as StoredContent).revision, position };
    },
  };
  await refused(
    copyLog(logOf(recorded.slice(0, 20)), forgetful, silent),
    /^The target has lost events: it has \d+ of 20\./,
  );
});

copies("leaves claims out, and is refused where an instance has started", async ({ target }) => {
  const claims = storedEvents().filter(({ stream }) => stream === logClaimsStream);
  assert.is(claims.length, 1);
  assert.is((await copyLog(logOf(storedEvents().slice(0, 11)), target, silent)).events, 10);
  await target.append(logClaimsStream, "no_stream", claims);
  await refused(copyLog(source, target, silent), /^An instance has started on the target\./);
});

copies("is refused where it cannot be the same log, and appends nothing", async ({ target }) => {
  const first = recorded.slice(0, 10);
  const [opened, next] = recorded as [StoredContent, StoredContent];
  await refused(copyLog(logOf([]), target, silent), /^The source has no log/);
  const gone = { ...next, revision: next.revision + 1n };
  await refused(copyLog(logOf([opened, gone]), target, silent), /^Events were removed from stream/);
  assert.is((await eventsOf(target)).length, 1);
  await copyLog(logOf(first), target, silent);
  await refused(copyLog(logOf(recorded.slice(0, 9)), target, silent), /^The target has events that the source/);
  const changed = recorded.map((event, index) => (index === 4 ? { ...event, id: randomUUID() } : event));
  await refused(copyLog(logOf(changed), target, silent), /^The target is no copy of the source: after 4 events/);
  await refused(copyLog(target, target, silent), /^Source and target are the same event store/);
  assert.is((await eventsOf(target)).length, 10);
});

copies("appends 500 events or 1 MiB of one stream at a time, and names an event that is larger", async ({ target }) => {
  const [opened] = recorded as [StoredContent];
  const sizes: number[] = [];
  const counting: StoredLog = {
    ...target,
    append: async (stream, expected, events) => {
      sizes.push(events.length);
      return target.append(stream, expected, events);
    },
  };
  const mebibyte = 1024 * 1024;
  /** One event of a stream, with its metadata and the type's length in `bytes`. */
  const event = (stream: string, revision: number, position: number, bytes: number): StoredContent => {
    const type = "Large";
    const added = `{"recordedAt":"${opened.recordedAt.toISOString()}"}`.length;
    const data = Buffer.alloc(bytes - added - 2 * type.length, "x");
    const place = {
      stream,
      revision: BigInt(revision),
      position: { commit: BigInt(position), prepare: BigInt(position) },
    };
    return { ...opened, ...place, id: randomUUID(), type, isJson: false, data, metadata: Buffer.from("{}") };
  };
  const many = Array.from({ length: 501 }, (_, index) => event("app-1", index, index + 1, 100));
  const halves = [0, 1, 2].map((index) => event("app-2", index, 600 + index, mebibyte / 2));
  const whole = [event("app-3", 0, 700, mebibyte), event("app-3", 1, 701, 100)];
  const log = [...many, ...halves, ...whole];
  await copyLog(logOf(log), counting, silent);
  assert.equal(sizes, [500, 1, 2, 1, 1, 1]);
  assert.equal((await eventsOf(target)).map(kept), log.map(kept));
  const larger = [...log, event("app-4", 0, 800, mebibyte + 1)];
  await refused(copyLog(logOf(larger), target, silent), /^The target refuses Large 0 of app-4 as too large/);
});

copies.run();

async function refused(copy: Promise<unknown>, message: RegExp): Promise<void> {
  const failure = await copy.then(
    () => new Error("it was copied"),
    (thrown: Error) => thrown,
  );
  assert.instance(failure, LogCopyRefused);
  assert.match(failure.message, message);
}

/** A target that fails after some appends: its last one is stored or not, and not acknowledged. */
function failingAfter(target: StoredLog, appends: number, isStored: boolean): StoredLog {
  let left = appends;
  return {
    ...target,
    append: async (...append) => {
      left -= 1;
      if (left >= 0) return target.append(...append);
      if (isStored) await target.append(...append);
      throw new Error("the connection was lost");
    },
  };
}
