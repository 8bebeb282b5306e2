import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StreamName } from "../../../domain/streams.ts";
import { Locked } from "../../../infra/data-directory/lock.ts";
import { startEmbeddedEventStore } from "../../../infra/embedded-event-store/event-store.ts";
import { type EventLog, EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { createEventLog } from "../../../infra/event-log/eventstore-event-log.ts";
import { credential, startEventStoreProcess } from "../../support/event-store-process.ts";
import {
  all,
  appended,
  errorOf,
  idsOf,
  newStream,
  someEvents,
  temporaryDirectory,
  untilAnswered,
} from "./event-log-client.ts";

// time limit: 120 s

const faults = suite("event log: faults");

const logOf = (connectionString: string, deadlineMs = 5_000, onTrouble = (_: Error) => {}) =>
  createEventLog({ connectionString, ...credential, deadlineMs, onTrouble });

faults("appends reject in time when the store is not there, and succeed when it is back", async () => {
  const directory = temporaryDirectory();
  const first = await startEventStoreProcess(directory.path);
  const log = logOf(first.connectionString, 500);
  const stream = newStream();
  await appended(log, stream, "no_stream", someEvents(1));
  await first.kill();
  const events = someEvents(2);
  for (let attempt = 0; attempt < 3; attempt++)
    assert.instance(await errorOf(log.append(stream, 0n, events)), EventLogUnavailable);
  assert.instance(await errorOf(all(log.read(stream))), EventLogUnavailable);
  assert.instance(await errorOf(log.headPosition()), EventLogUnavailable);
  const second = await startEventStoreProcess(directory.path, first.port);
  await untilAnswered(() => log.append(stream, 0n, events));
  assert.is((await all(log.read(stream))).length, 3);
  await log.close();
  await second.kill();
  await directory.remove();
});

faults("appends and reads reject in time when the store does not answer", async () => {
  const directory = temporaryDirectory();
  const store = await startEventStoreProcess(directory.path);
  const log = logOf(store.connectionString, 500);
  const stream = newStream();
  const events = someEvents(2);
  await appended(log, stream, "no_stream", someEvents(1));
  store.signal("SIGSTOP");
  const since = Date.now();
  assert.instance(await errorOf(log.append(stream, 0n, events)), EventLogUnavailable);
  assert.instance(await errorOf(all(log.read(stream))), EventLogUnavailable);
  assert.ok(Date.now() - since < 3_000);
  store.signal("SIGCONT");
  await untilAnswered(() => log.append(stream, 0n, events));
  assert.is((await all(log.read(stream))).length, 3, "the append was repeated, not doubled");
  await log.close();
  await store.kill();
  await directory.remove();
});

faults("a subscription goes on after its store was killed: nothing lost, nothing twice", async () => {
  const directory = temporaryDirectory();
  let store = await startEventStoreProcess(directory.path);
  const troubles: Error[] = [];
  const log = logOf(store.connectionString, 1_000, (error) => troubles.push(error));
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
      store = await startEventStoreProcess(directory.path, store.port);
    }
    const expected = at === 0 ? "no_stream" : BigInt(at - 1);
    await untilAnswered(() => log.append(stream, expected, events.slice(at, at + 50)));
  }
  await reading;
  assert.equal(seen, idsOf(events));
  assert.ok(troubles.length >= 1 && troubles.every((error) => error instanceof EventLogUnavailable));
  await log.close();
  await store.kill();
  await directory.remove();
});

faults("kill -9 at any moment loses nothing acknowledged, and the store comes up by itself", async () => {
  const directory = temporaryDirectory();
  const journals = Array.from({ length: 6 }, () => ({
    stream: newStream(),
    acknowledged: [] as { readonly id: string }[],
    attempted: 0,
  }));
  let port = 0;
  for (let round = 0; round < 6; round++) {
    const store = await startEventStoreProcess(directory.path, port);
    port = store.port;
    const log = logOf(store.connectionString, 500);
    const ended = Promise.all(journals.map((journal) => writeUntilItFails(log, journal)));
    await pause(50 + Math.random() * 250);
    await store.kill();
    await ended;
    await log.close();
  }
  const store = await startEventStoreProcess(directory.path);
  const log = logOf(store.connectionString);
  for (const { stream, acknowledged } of journals) {
    const found = await all(log.read(stream));
    assert.equal(idsOf(found.slice(0, acknowledged.length)), idsOf(acknowledged));
    assert.ok(found.every(({ revision }, index) => revision === BigInt(index)));
  }
  const whole = await all(log.readAll("start", Number.MAX_SAFE_INTEGER));
  assert.ok(whole.length > 0 && whole.every(({ position }, index) => position.commit === BigInt(index + 1)));
  await log.close();
  await store.kill();
  await directory.remove();
});

faults("a directory belongs to one store at a time", async () => {
  const directory = temporaryDirectory();
  const store = await startEmbeddedEventStore({ directory: directory.path, ...credential });
  const second = await errorOf(startEmbeddedEventStore({ directory: directory.path, ...credential }));
  assert.instance(second, Locked);
  await store.close();
  const foreign = await startEventStoreProcess(directory.path);
  assert.instance(await errorOf(startEmbeddedEventStore({ directory: directory.path, ...credential })), Locked);
  await foreign.kill();
  const after = await startEmbeddedEventStore({ directory: directory.path, ...credential });
  await after.close();
  await directory.remove();
});

faults("a proxy in the environment is not used for a store on this machine", async () => {
  const directory = temporaryDirectory();
  process.env.http_proxy = "http://localhost:9";
  const store = await startEmbeddedEventStore({ directory: directory.path, ...credential });
  const log = logOf(store.connectionString);
  await appended(log, newStream(), "no_stream", someEvents(1));
  delete process.env.http_proxy;
  delete process.env.no_grpc_proxy;
  await log.close();
  await store.close();
  await directory.remove();
});

faults("a store that cannot listen says so, and lets go of its directory", async () => {
  const directory = temporaryDirectory();
  const other = temporaryDirectory();
  const store = await startEmbeddedEventStore({ directory: directory.path, ...credential });
  const taken = errorOf(startEmbeddedEventStore({ directory: other.path, port: store.port, ...credential }));
  assert.match(String(await taken), /EADDRINUSE/);
  await (await startEmbeddedEventStore({ directory: other.path, ...credential })).close();
  await store.close();
  await Promise.all([directory.remove(), other.remove()]);
});

/** Appends batch after batch, and notes what was acknowledged; picks up what the last kill left in doubt. */
async function writeUntilItFails(
  log: EventLog,
  journal: { readonly stream: StreamName; acknowledged: { readonly id: string }[]; attempted: number },
): Promise<void> {
  const { stream, acknowledged } = journal;
  try {
    const inDoubt = (await all(log.read(stream))).slice(acknowledged.length);
    assert.ok(inDoubt.length === 0 || inDoubt.length === journal.attempted, "an append is there whole, or not at all");
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
