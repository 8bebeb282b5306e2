// time limit: 30 s
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { open } from "lmdb";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkStore } from "../../../../infra/embedded-event-store/maintenance/check-store.ts";
import { Storage } from "../../../../infra/embedded-event-store/storage.ts";
import { storedStreamName } from "../../../../infra/embedded-event-store/stored-event.ts";
import { Writer } from "../../../../infra/embedded-event-store/writer.ts";
import type { EventLog } from "../../../../infra/event-log/event-log.ts";
import { openLogIn } from "../../../support/event-store.ts";
import {
  all,
  appended,
  errorOf,
  idsOf,
  newStream,
  someEvents,
  temporaryDirectory,
} from "../../event-log/event-log-client.ts";
import { changeEvents, flipped } from "./damage.ts";

const directory = temporaryDirectory();
const stream = newStream();
const events = someEvents(5);
const checked = (path: string) => checkStore(path, () => {});

async function onStore<Result>(path: string, work: (log: EventLog) => Promise<Result>): Promise<Result> {
  const { log, close } = await openLogIn(path);
  return work(log).finally(close);
}

/** A store with five events of one stream and one of another. */
async function newStore(name: string): Promise<string> {
  const path = join(directory.path, name);
  await onStore(path, async (log) => {
    await appended(log, stream, "no_stream", events);
    await appended(log, newStream(), "no_stream", someEvents(1));
  });
  return path;
}

type StreamValue = readonly [number, number, ...unknown[]];

async function changeState(path: string, name: string, changed: (state: StreamValue) => StreamValue) {
  const root = open<unknown, string>({ path, noSubdir: false, maxDbs: 4, encoding: "json" });
  const states = root.openDB<StreamValue, string>({ name: "streams", encoding: "json" });
  await states.put(name, changed(states.get(name) ?? [0, -1]));
  await root.close();
}

const metadataEvent = (metadata: unknown) => ({
  id: randomUUID(),
  type: "$metadata",
  isJson: true,
  data: Buffer.from(JSON.stringify(metadata)),
  metadata: Buffer.alloc(0),
});

const checks = suite("check of the embedded event store");
checks.after(() => directory.remove());

checks(
  "reports progress before and after the events, so that a store of many streams is not taken for damaged",
  async () => {
    const path = join(directory.path, "many");
    await onStore(path, async (log) => {
      const streams = Array.from({ length: 1_000 }, newStream);
      await Promise.all(streams.map((name) => appended(log, name, "no_stream", someEvents(1))));
    });
    const shares: number[] = [];
    assert.equal(await checkStore(path, (share) => shares.push(share)), { head: 1_000, faults: [] });
    // An entry of the index for each stream, and for each run.
    assert.equal(shares, [0, 0, 1, 1]);
  },
);

checks("finds no fault in a sound store, also while it runs", async () => {
  const path = await newStore("sound");
  const sound = { head: 6, faults: [] };
  assert.equal(await checked(path), sound);
  assert.equal(await onStore(path, () => checked(path)), sound);
});

checks("sees the store as it was when the check began, while another process goes on writing", async () => {
  const path = await newStore("written");
  await onStore(path, async (log) => {
    const opened = new Storage(path, { readOnly: true });
    const before = opened.stream(stream);
    await appended(log, stream, 4n, someEvents(3));
    const after = opened.stream(stream);
    await opened.close();
    assert.equal(after, before);
  });
});

checks("finds metadata of a stream that its state does not have", async () => {
  const path = await newStore("described");
  const storage = new Storage(path);
  const writer = new Writer(storage, { hasRoomFor: () => true }, () => {});
  await writer.append("$$bare", "any", [metadataEvent({ $maxCount: 3 })]);
  await writer.append(`$$${stream}`, "any", [metadataEvent({ $maxCount: 3 })]);
  await storage.close();
  assert.equal((await checked(path)).faults, []);
  await changeState(path, stream, ([number, revision]) => [number, revision, null, [8, 0, 2, null]]);
  await changeState(path, "bare", ([number, revision]) => [number, revision, null]);
  const reasonOf = (name: string) => `the index has other metadata of ${name} than its events`;
  assert.equal(
    (await checked(path)).faults,
    [reasonOf(stream), reasonOf("bare")].map((reason) => ({ position: 8, reason })),
  );
});

checks("names the event with one changed bit, and the store does not return it", async () => {
  const path = await newStore("flipped");
  await changeEvents(path, (position, stored) => (position === 3 ? flipped(stored, stored.length - 20) : stored));
  const damage = "the event at position 3 is damaged: restore a backup of the event store";
  const [first, ...others] = (await checked(path)).faults;
  assert.equal(first, { position: 3, reason: damage });
  // The next event of its stream no longer follows one that could be read.
  assert.equal(
    others.map(({ position }) => position),
    [4],
  );
  await onStore(path, async (log) => {
    const failure = await errorOf(all(log.read(stream)));
    assert.match(String(failure), damage);
    assert.equal(idsOf(await log.readBackwards(stream, 2)), idsOf(events.slice(3).reverse()));
    // An append that has to be compared with it fails, those beside it do not.
    const appends = [newStream(), stream, newStream()].map((name, index) =>
      log.append(name, index === 1 ? 1n : "no_stream", someEvents(1)).then(({ outcome }) => outcome, String),
    );
    const outcomes = await Promise.all(appends);
    assert.match(outcomes.splice(1, 1).join(), damage);
    assert.equal(outcomes, ["appended", "appended"]);
  });
});

checks("finds events that are exchanged, missing or cut", async () => {
  const path = await newStore("exchanged");
  const found = new Map<number, Buffer>();
  await changeEvents(path, (position, stored) => {
    found.set(position, stored);
    return stored;
  });
  await changeEvents(path, (position, stored) => {
    if (position === 1) return found.get(2) ?? null;
    if (position === 4) return null;
    return position === 5 ? stored.subarray(0, 3) : stored;
  });
  const { faults } = await checked(path);
  assert.equal(
    faults.map(({ position }) => position).filter((position) => [1, 4, 5].includes(position)),
    [1, 4, 5],
  );
});

checks(
  "the checksum of an event is that of its position: the store does not return one that was exchanged",
  async () => {
    const path = await newStore("moved");
    const storage = new Storage(path);
    const [first] = storage.eventsFrom(1, 1, 1);
    await storage.close();
    let stored: Buffer | null = null;
    await changeEvents(path, (position, bytes) => {
      if (position === 1) stored = bytes;
      return position === 2 ? stored : bytes;
    });
    const exchanged = new Storage(path);
    assert.equal(exchanged.event(1), first?.bytes);
    assert.throws(() => exchanged.event(2), /the event at position 2 is damaged/);
    await exchanged.close();
  },
);

checks("finds that the last event is missing, which the index still has", async () => {
  const path = await newStore("shortened");
  await onStore(path, (log) => appended(log, stream, 4n, someEvents(1)));
  await changeEvents(path, (position, stored) => (position === 7 ? null : stored));
  const reason = `the index has revision 5 of ${stream} here, the log no event`;
  assert.equal(await checked(path), { head: 6, faults: [{ position: 7, reason }] });
});

checks("finds that the only event of a stream is missing at the end, and that another took its position", async () => {
  const path = await newStore("replaced");
  let lost = "";
  await changeEvents(path, (position, stored) => {
    if (position !== 6) return stored;
    lost = storedStreamName(stored).toString();
    return null;
  });
  const reason = `the index has revision 0 of ${lost} here, the log`;
  assert.equal(await checked(path), { head: 5, faults: [{ position: 6, reason: `${reason} no event` }] });
  await onStore(path, (log) => appended(log, stream, 4n, someEvents(1)));
  assert.equal(await checked(path), {
    head: 6,
    faults: [{ position: 6, reason: `${reason} revision 5 of ${stream}` }],
  });
});

checks(
  "finds that the index has the end, the metadata or the last revision of a stream that the log has not",
  async () => {
    const path = await newStore("claimed");
    await changeState(path, "closed", () => [0, -1, 7]);
    await changeState(path, "described", () => [0, -1, null, [8, 0, 2, null]]);
    await changeState(path, "ended", () => [99, 3, null]);
    assert.equal((await checked(path)).faults, [
      { position: 6, reason: "the index ends ended at revision 3, but has no position of it" },
      { position: 7, reason: "the index has the end of closed here, the log no event" },
      { position: 8, reason: "the index has metadata of described here, the log has not" },
    ]);
  },
);

checks("finds no fault in closed streams, metadata and names that are longer than a key of the index", async () => {
  const path = join(directory.path, "closed");
  const storage = new Storage(path);
  const writer = new Writer(storage, { hasRoomFor: () => true }, () => {});
  const long = "long-".repeat(200);
  for (const name of [long, "short"]) {
    await writer.append(name, "any", [metadataEvent({}), metadataEvent({})]);
    await writer.append(`$$${name}`, "any", [metadataEvent({ $maxCount: 1 })]);
  }
  await writer.append(long, "any", [metadataEvent({})]);
  await writer.tombstone("short", "any", randomUUID());
  await writer.tombstone("never", "any", randomUUID());
  await storage.close();
  assert.equal(await checked(path), { head: 9, faults: [] });
});

checks.run();
