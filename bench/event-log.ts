import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EventStoreDBClient } from "@eventstore/db-client";
import { open } from "lmdb";
import type { LogPosition } from "../domain/event.ts";
import { startEmbeddedEventStore } from "../infra/embedded-event-store/event-store.ts";
import { encodeContent } from "../infra/event-log/codec.ts";
import type { EventLog, EventToAppend } from "../infra/event-log/event-log.ts";
import { eventStoreUrl } from "../infra/event-log/event-store-access.ts";
import { createEventLog } from "../infra/event-log/eventstore-event-log.ts";
import { aClick } from "../test/examples/touchpoints.ts";
import { atLeast, type BenchLine } from "./support/bench-line.ts";

const batchSize = 500;
const batches = 60;
const warmUpBatches = 10;
const singleWriters = 64;
const singlesPerWriter = 80;
const credential = { username: "admin", password: "bench" };

/**
 * The embedded event store over its protocol: appends in batches without and with a subscriber, single appends, and
 * reads.
 */
export async function benchEventLog(): Promise<readonly BenchLine[]> {
  const directory = await mkdtemp(join(tmpdir(), "touchledger-bench-"));
  const store = await startEmbeddedEventStore({ directory: join(directory, "log"), ...credential });
  const connection = { connectionString: store.connectionString, ...credential };
  const log = createEventLog({ ...connection, deadlineMs: 10_000 });
  try {
    await appendAll(log, preparedBatches(warmUpBatches));
    const limit = await rawLmdb(join(directory, "limit"), preparedBatches(batches));
    const alone = await appendAll(log, preparedBatches(batches));
    const beside = await appendBesideSubscriber(log, preparedBatches(batches));
    await appendSingles(log, warmUpBatches);
    const singles = await appendSingles(log, singlesPerWriter);
    const reading = await readEverything(log);
    const plain = await readWithClientLibrary(eventStoreUrl(connection));
    return [
      line("appends of 500 prepared events, no subscriber", alone, limit, 20_000),
      line(
        "appends of 500 prepared events, one subscriber",
        beside,
        limit,
        10_000,
        "until the last event is delivered",
      ),
      line("64 concurrent single appends", singles, null, 1_500),
      line("client reading $all", reading, null, 30_000, `the client library alone ${Math.round(plain)}`),
    ];
  } finally {
    await log.close();
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function line(path: string, measured: number, limit: number | null, min: number, note?: string): BenchLine {
  const figure = { path, measured: Math.round(measured), unit: "events/s", ...(note === undefined ? {} : { note }) };
  return atLeast(min, figure, limit && Math.round(limit));
}

function preparedBatches(count: number): readonly (readonly EventToAppend[])[] {
  return Array.from({ length: count }, () => Array.from({ length: batchSize }, (_, index) => preparedEvent(index)));
}

/** A click as production code records it. */
function preparedEvent(index: number): EventToAppend {
  const requestId = randomUUID();
  const occurredAt = new Date().toISOString();
  const actor = { kind: "token", tokenId: "0123456789abcdef0123456789abcdef", role: "ingest" } as const;
  const metadata = { actor, requestId, correlationId: requestId, causationId: requestId, schemaVersion: 1, occurredAt };
  return {
    id: randomUUID(),
    ...aClick({ deviceKey: requestId, at: occurredAt, destination: `https://shop.example/${index}` }),
    metadata,
  };
}

/** Runs `work`, which handles `count` events; returns the events per second. */
async function rate(count: number, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (count / (performance.now() - startedAt)) * 1000;
}

function appendAll(log: EventLog, prepared: readonly (readonly EventToAppend[])[]): Promise<number> {
  const stream = `touchpoints-${randomUUID()}`;
  return rate(prepared.length * batchSize, async () => {
    for (const [index, events] of prepared.entries()) {
      const expected = index === 0 ? "no_stream" : BigInt(index * batchSize - 1);
      const { outcome } = await log.append(stream, expected, events);
      if (outcome !== "appended") throw new Error(outcome);
    }
  });
}

async function appendBesideSubscriber(log: EventLog, prepared: readonly (readonly EventToAppend[])[]): Promise<number> {
  const from: LogPosition | "start" = (await log.headPosition()) ?? "start";
  const count = prepared.length * batchSize;
  const delivered = (async () => {
    let seen = 0;
    for await (const batch of log.subscribe({ from })) {
      seen += batch.length;
      if (seen >= count) return;
    }
  })();
  return rate(count, async () => {
    await appendAll(log, prepared);
    await delivered;
  });
}

function appendSingles(log: EventLog, perWriter: number): Promise<number> {
  const write = async () => {
    const stream = `touchpoints-${randomUUID()}`;
    for (let revision = -1; revision < perWriter - 1; revision++)
      await log.append(stream, revision < 0 ? "no_stream" : BigInt(revision), [preparedEvent(revision)]);
  };
  return rate(singleWriters * perWriter, async () => {
    await Promise.all(Array.from({ length: singleWriters }, write));
  });
}

/** Reads the whole log by a subscription, as projections do. */
async function readEverything(log: EventLog): Promise<number> {
  const head = await log.headPosition();
  let seen = 0;
  const startedAt = performance.now();
  for await (const batch of log.subscribe({ from: "start" })) {
    seen += batch.length;
    if (batch.at(-1)?.position.commit === head?.commit) break;
  }
  return (seen / (performance.now() - startedAt)) * 1000;
}

async function readWithClientLibrary(url: string): Promise<number> {
  const client = EventStoreDBClient.connectionString(url);
  let seen = 0;
  const startedAt = performance.now();
  for await (const _ of client.readAll()) seen += 1;
  const perSecond = (seen / (performance.now() - startedAt)) * 1000;
  await client.dispose();
  return perSecond;
}

/** Writes the same bytes in the same batches to LMDB, as durably, without an event store. */
async function rawLmdb(path: string, prepared: readonly (readonly EventToAppend[])[]): Promise<number> {
  const values = prepared.map((events) =>
    events.map((event) => {
      const { data, metadata } = encodeContent(event);
      return Buffer.concat([Buffer.from(event.id + event.type), metadata, data]);
    }),
  );
  const database = open<Buffer, number>({ path, overlappingSync: false, encoding: "binary" });
  let key = 0;
  const perSecond = await rate(prepared.length * batchSize, async () => {
    for (const batch of values)
      await database.batch(() => {
        for (const value of batch) database.put(++key, value);
      });
  });
  await database.close();
  return perSecond;
}
