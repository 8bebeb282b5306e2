import { randomUUID } from "node:crypto";
import type { Knex } from "knex";
import type { DomainEvent, LogPosition } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { logIdentityStream } from "../../../domain/streams.ts";
import type { EventLog, ExpectedRevision } from "../../../infra/event-log/event-log.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { type LogEnvironment, startTestLog } from "../../support/event-store.ts";
import { testPostgres } from "../../support/stores.ts";

/** An event store and a database of a test's own, both empty but for the log's first event. */
export interface Stores {
  readonly log: EventLog;
  readonly db: Knex;
  /** Where other processes find them. */
  readonly environment: LogEnvironment & { readonly DATABASE_URL: string };
  /** Appends to a stream; answers the position of the last event. */
  append(stream: string, ...events: readonly DomainEvent[]): Promise<LogPosition>;
  /** Every event of the log. */
  all(): Promise<readonly RecordedEvent[]>;
  close(): Promise<void>;
}

export async function openStores(): Promise<Stores> {
  const eventStore = await startLog();
  const databaseUrl = await testPostgres();
  const db = connectDatabase(databaseUrl);
  return {
    ...eventStore,
    db,
    environment: { ...eventStore.environment, DATABASE_URL: databaseUrl },
    close: async () => {
      await db.destroy();
      await eventStore.close();
    },
  };
}

export async function openTestDatabase(): Promise<Knex> {
  return connectDatabase(await testPostgres());
}

export function connectDatabase(databaseUrl: string): Knex {
  return openDatabase(databaseUrl, { max: 10, applicationName: "test" });
}

/** A log alone, opened as one with a new id. */
export async function startLog(): Promise<
  Omit<Stores, "db" | "environment"> & { readonly environment: LogEnvironment }
> {
  const { log, environment, close } = await startTestLog({ deadlineMs: 5_000 });
  const revisions = new Map<string, bigint>();
  const append = async (stream: string, ...events: readonly DomainEvent[]): Promise<LogPosition> => {
    const expected: ExpectedRevision = revisions.get(stream) ?? "no_stream";
    const appended = await log.append(
      stream,
      expected,
      events.map((event) => ({ id: randomUUID(), ...event, metadata })),
    );
    if (appended.outcome !== "appended") throw new Error(`Another writer on ${stream}`);
    revisions.set(stream, appended.revision);
    return appended.position;
  };
  await append(logIdentityStream, { type: "LogOpened", data: { logId: randomUUID() } });
  return {
    log,
    environment,
    append,
    all: async () => {
      const events: RecordedEvent[] = [];
      for await (const event of log.readAll("start", Number.MAX_SAFE_INTEGER)) events.push(event);
      return events;
    },
    close,
  };
}

const metadata = {
  actor: { kind: "operator" },
  requestId: "test",
  correlationId: "test",
  causationId: "test",
  schemaVersion: 1,
  occurredAt: "2026-03-31T00:00:00.000Z",
} as const;
