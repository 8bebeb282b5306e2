import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EventStoreDBClient } from "@eventstore/db-client";
import type { StoredEvent } from "../domain/event-catalogue.ts";
import { logIdentityStream } from "../domain/streams.ts";
import { startEmbeddedEventStore } from "../infra/embedded-event-store/event-store.ts";
import type { EventLog } from "../infra/event-log/event-log.ts";
import { createEventLog } from "../infra/event-log/eventstore-event-log.ts";
import { openDatabase } from "../infra/postgres/database.ts";
import { startPostgres } from "../infra/postgres/server.ts";
import { limitHeapGrowth } from "../infra/process/heap.ts";
import { openLogger } from "../infra/process/log.ts";
import { rebuild } from "../projections/engine/generations/rebuild.ts";
import { createProjector } from "../projections/engine/runner/projector.ts";
import { facts } from "../projections/facts/projection.ts";
import { advertisedDevices } from "./support/advertised-devices.ts";
import { type BenchLine, memoryBelow, shareOf } from "./support/bench-line.ts";
import { watchMemory } from "./support/memory.ts";

const devices = 15_000;
const perAppend = 500;
const minRatio = 0.35;
const maxMemory = 400;
const timeoutMs = 10 * 60_000;
const credential = { username: "bench", password: "bench-password" };

/**
 * Builds the `facts` group from the log, next to the client library reading the same events. All processes share one
 * machine.
 */
export async function benchRebuild(): Promise<readonly BenchLine[]> {
  limitHeapGrowth();
  const directory = await mkdtemp(join(tmpdir(), "touchledger-bench-"));
  const store = await startEmbeddedEventStore({ directory: join(directory, "event-store"), ...credential });
  const log = createEventLog({ connectionString: store.connectionString, deadlineMs: 30_000, ...credential });
  const postgres = await startPostgres({ directory: join(directory, "postgres"), log: openLogger("silent") });
  const db = openDatabase(postgres.connectionString, { max: 8, applicationName: "bench", synchronousCommit: "off" });
  try {
    const events = await fill(log);
    const bareBefore = await seconds(() => readBare(store.connectionString));
    const memory = watchMemory(process.pid);
    const followed = perSecond(
      events,
      await seconds(async () => {
        const projector = createProjector({ db, log, projections: [facts], logger: openLogger("silent") });
        await projector.start();
        const passed = await projector.waitForPosition("facts", await log.headPosition(), timeoutMs);
        await projector.stop();
        if (!passed) throw new Error("The facts did not reach the head of the log.");
      }),
    );
    const rebuilt = perSecond(events, await seconds(() => rebuild(db, log, "facts", [facts], { graceMs: 0 })));
    const held = memory.stop();
    // Measured before and after, because the machine may have been busier once.
    const bare = perSecond(events, Math.min(bareBefore, await seconds(() => readBare(store.connectionString))));
    return [
      line("rebuild of the facts group beside the live one", rebuilt, bare),
      line("the facts group from an empty database to the head", followed, bare),
      memoryBelow(maxMemory, "rebuild, memory of Node with the embedded event store", held),
    ];
  } finally {
    await db.destroy();
    await postgres.stop();
    await log.close();
    await store.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    await rm(postgres.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Fills the log; returns the number of its events. */
async function fill(log: EventLog): Promise<number> {
  const revisions = new Map<string, bigint>();
  const append = async (stream: string, events: readonly StoredEvent[]): Promise<void> => {
    const toAppend = events.map((event) => ({ id: randomUUID(), ...event, metadata }));
    const appended = await log.append(stream, revisions.get(stream) ?? "no_stream", toAppend);
    if (appended.outcome === "appended") revisions.set(stream, appended.revision);
  };
  await append(logIdentityStream, [{ type: "LogOpened", data: { logId: randomUUID() } }]);
  let count = 1;
  for (const { stream, events } of advertisedDevices(devices)) {
    for (let start = 0; start < events.length; start += perAppend) {
      await append(stream, events.slice(start, start + perAppend));
    }
    count += events.length;
  }
  return count;
}

async function readBare(connectionString: string): Promise<void> {
  const client = EventStoreDBClient.connectionString(connectionString);
  let read = 0;
  for await (const { event } of client.readAll({ credentials: credential })) if (event !== undefined) read += 1;
  await client.dispose();
  if (read === 0) throw new Error("The bare client has read nothing.");
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const since = performance.now();
  await work();
  return (performance.now() - since) / 1000;
}

function perSecond(events: number, time: number): number {
  return Math.round(events / time);
}

function line(path: string, measured: number, limit: number): BenchLine {
  return shareOf(limit, "a bare client read", minRatio, { path, measured, unit: "events/s" });
}

const metadata = {
  actor: { kind: "token", tokenId: "a".repeat(32), role: "sdk" },
  requestId: "bench",
  correlationId: "bench",
  causationId: "bench",
  schemaVersion: 1,
  occurredAt: "2026-03-31T00:00:00.000Z",
} as const;
