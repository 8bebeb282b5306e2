import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LogPosition } from "../../../domain/event.ts";
import type { StreamName } from "../../../domain/streams.ts";
import { type EventLog, EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { connectLog } from "../../support/event-store.ts";
import { type EventStoreProgram, startEventStore } from "../../support/event-store-program.ts";
import { all, appended, errorOf, idsOf, newStream, someEvents, untilAnswered } from "./event-log-client.ts";

// time limit: 300 s

const faults = suite("event log: faults");
let directory = "";
faults.before.each(async () => {
  directory = await mkdtemp(join(tmpdir(), "touchledger-event-log-"));
});
faults.after.each(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));

const logOf = ({ url }: EventStoreProgram, deadlineMs = 5_000, onTrouble = (_: Error) => {}) =>
  connectLog({ EVENTSTORE_URL: url, EVENT_STREAM_PREFIX: "" }, { deadlineMs, onTrouble });

faults("appends reject in time while the store is stopped, and succeed when it is back", async () => {
  const first = await startEventStore(directory);
  const log = logOf(first, 500);
  const stream = newStream();
  const event = someEvents(1);
  // A server answers reads before it takes appends.
  await untilAnswered(() => log.append(stream, "no_stream", event));
  await first.kill();
  const events = someEvents(2);
  await assertUnavailable([
    ...[1, 2, 3].map(() => log.append(stream, 0n, events)),
    all(log.read(stream)),
    log.headPosition(),
  ]);
  const second = await startEventStore(directory, first.port);
  await untilAnswered(() => log.append(stream, 0n, events));
  assert.is((await all(log.read(stream))).length, 3);
  await log.close();
  await second.kill();
});

faults("appends and reads reject in time when the store does not respond", async () => {
  const store = await startEventStore(directory);
  const log = logOf(store, 500);
  const stream = newStream();
  const events = someEvents(2);
  const event = someEvents(1);
  await untilAnswered(() => log.append(stream, "no_stream", event));
  store.freeze();
  const since = Date.now();
  await assertUnavailable([log.append(stream, 0n, events), all(log.read(stream))]);
  assert.ok(Date.now() - since < 3_000);
  store.thaw();
  await untilAnswered(() => log.append(stream, 0n, events));
  assert.is((await all(log.read(stream))).length, 3, "the append was repeated, not doubled");
  await log.close();
  await store.kill();
});

faults("a subscription continues after its store was killed: nothing lost, nothing twice", async () => {
  let store = await startEventStore(directory);
  const troubles: Error[] = [];
  const log = logOf(store, 1_000, (error) => troubles.push(error));
  const stream = newStream();
  const events = someEvents(3_000);
  const seen: string[] = [];
  const reading = (async () => {
    for await (const batch of log.subscribe({ from: "start", maxBatch: 64 })) {
      seen.push(...idsOf(batch));
      await pause(1);
      if (seen.length >= events.length) return;
    }
  })();
  for (let at = 0; at < events.length; at += 50) {
    if (at % 1_000 === 500) {
      await store.kill();
      store = await startEventStore(directory, store.port);
    }
    const expected = at === 0 ? "no_stream" : BigInt(at - 1);
    await untilAnswered(() => log.append(stream, expected, events.slice(at, at + 50)));
  }
  await reading;
  assert.equal(seen, idsOf(events));
  assert.ok(troubles.length >= 1 && troubles.every((error) => error instanceof EventLogUnavailable));
  await log.close();
  await store.kill();
});

faults("kill -9 at any moment loses nothing acknowledged, and the store recovers by itself", async () => {
  const journals = Array.from({ length: 6 }, () => ({
    stream: newStream(),
    acknowledged: [] as { readonly id: string }[],
    attempted: 0,
  }));
  let port: number | undefined;
  for (let round = 0; round < 6; round++) {
    const store = await startEventStore(directory, port);
    port = store.port;
    const log = logOf(store, 500);
    const ended = Promise.all(journals.map((journal) => writeUntilItFails(log, journal)));
    await pause(50 + Math.random() * 250);
    await store.kill();
    await ended;
    await log.close();
  }
  const store = await startEventStore(directory);
  const log = logOf(store);
  for (const { stream, acknowledged } of journals) {
    const found = await all(log.read(stream));
    assert.equal(idsOf(found.slice(0, acknowledged.length)), idsOf(acknowledged));
    assert.ok(found.every(({ revision }, index) => revision === BigInt(index)));
  }
  const whole = await all(log.readAll("start", Number.MAX_SAFE_INTEGER));
  const inOrder = whole.every(({ position }, index) => index === 0 || isAfter(position, whole[index - 1]?.position));
  assert.ok(whole.length > 0 && inOrder);
  await log.close();
  await store.kill();
});

function isAfter(position: LogPosition, before: LogPosition | undefined): boolean {
  return before !== undefined && position.commit > before.commit;
}

async function assertUnavailable(calls: readonly Promise<unknown>[]): Promise<void> {
  for (const error of await Promise.all(calls.map(errorOf))) assert.instance(error, EventLogUnavailable);
}

/** Appends batch after batch, and notes what was acknowledged; picks up what the last kill left in doubt. */
async function writeUntilItFails(
  log: EventLog,
  journal: { readonly stream: StreamName; acknowledged: { readonly id: string }[]; attempted: number },
): Promise<void> {
  const { stream, acknowledged } = journal;
  try {
    const inDoubt = (await all(log.read(stream))).slice(acknowledged.length);
    assert.ok(inDoubt.length === 0 || inDoubt.length === journal.attempted, "an append is stored whole, or not at all");
    acknowledged.push(...inDoubt);
    while (true) {
      const { length } = acknowledged;
      const events = someEvents(Math.random() < 0.1 ? 500 : 1 + Math.floor(Math.random() * 30), length);
      journal.attempted = events.length;
      await appended(log, stream, length === 0 ? "no_stream" : BigInt(length - 1), events);
      journal.attempted = 0;
      acknowledged.push(...events);
    }
  } catch (error) {
    if (!(error instanceof EventLogUnavailable)) throw error;
  }
}

faults.run();
