import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Knex } from "knex";
import type { Config } from "../config/config.ts";
import { DataDirectoryUnusable, openDataDirectory } from "../data-directory/data-directory.ts";
import type { RunFile } from "../data-directory/run-file.ts";
import { eventStoreCredential } from "../data-directory/secrets.ts";
import { startEmbeddedEventStore } from "../embedded-event-store/event-store.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { type EventLogAccess, eventStoreAccess } from "../event-log/event-store-access.ts";
import { createEventLog } from "../event-log/eventstore-event-log.ts";
import { createStoredLog, type StoredLog } from "../event-log/stored-log.ts";
import { streamsOfInstance } from "../event-log/stream-names.ts";
import { closeSilentConnections, probeOptions } from "../postgres/close-silent-connections.ts";
import { openDatabase } from "../postgres/database.ts";
import { requirePostgres } from "../postgres/require-postgres.ts";
import { startPostgres } from "../postgres/server.ts";
import type { Log } from "../process/log.ts";
import { releaseOnSignals } from "./early-end.ts";
import { runningInstance } from "./running-instance.ts";

/** The event log and the database of an instance, for a command. */
export interface OpenStores {
  readonly log: EventLog;
  readonly db: Knex;
  readonly databaseUrl: string;
  /** Whether Postgres runs for the command alone. */
  readonly startsPostgres: boolean;
  close(): Promise<void>;
}

interface EventStoreAddress {
  readonly eventStore: EventLogAccess;
  close(): Promise<void>;
}

interface Addresses extends EventStoreAddress {
  readonly databaseUrl: string;
  readonly startsPostgres: boolean;
}

const deadlineMs = 30_000;
const maxConnections = 8;

/** The event log of an instance, for a command. */
export interface CommandLog {
  readonly log: EventLog;
  close(): Promise<void>;
}

/**
 * The event log alone, of the instance that runs on the data directory or as the configuration names it; no Postgres
 * is started for it.
 * @throws {DataDirectoryUnusable} as {@link openStores}
 */
export async function openLogForCommand(config: Config): Promise<CommandLog> {
  return withCloses(async (closes) => {
    const { eventStore, close } = await eventStoreAddress(config);
    closes.push(close);
    const log = createEventLog({ ...eventStore, deadlineMs });
    closes.push(() => log.close());
    return { log };
  });
}

/** The stored log of an instance, for a command. */
export interface OpenStoredLog {
  readonly log: StoredLog;
  readonly prefix: string;
  close(): Promise<void>;
}

/**
 * The stored log of an instance, running or not.
 * @throws {DataDirectoryUnusable} as {@link openStores}
 */
export async function openStoredLog(config: Config): Promise<OpenStoredLog> {
  return storedLogOf(() => eventStoreAddress(config));
}

/**
 * The stored log at an event store that the configuration names, or in the embedded one of its data directory, which is
 * created when missing.
 * @throws {DataDirectoryUnusable} while an instance runs on the directory
 */
export async function openTargetLog(config: Config): Promise<OpenStoredLog> {
  return storedLogOf(() => startedEventStore(config));
}

async function storedLogOf(address: () => Promise<EventStoreAddress>): Promise<OpenStoredLog> {
  return withCloses(async (closes) => {
    const { eventStore, close } = await address();
    closes.push(close);
    const log = createStoredLog({ ...eventStore, deadlineMs });
    closes.push(() => log.close());
    return { log, prefix: eventStore.names.prefix };
  });
}

/**
 * The stores of the instance that runs on the data directory; when none runs, those that the configuration names, the
 * embedded ones started here for as long as the command needs them.
 * @throws {StartupError} when Postgres does not respond
 * @throws {DataDirectoryUnusable} when another process uses the data directory without a run file, or when there is
 *   neither an instance nor its data
 */
export async function openStores(config: Config, log: Log): Promise<OpenStores> {
  return withCloses(async (closes) => {
    const { eventStore, databaseUrl, startsPostgres, close } = await addressesOf(config, log);
    closes.push(close);
    const eventLog = createEventLog({ ...eventStore, deadlineMs });
    closes.push(() => eventLog.close());
    const open = (options: { readonly max: number }): Knex => {
      const pool = openDatabase(databaseUrl, {
        applicationName: "touchledger command",
        synchronousCommit: "off",
        ...options,
      });
      closes.push(() => pool.destroy());
      return pool;
    };
    const [db, probe] = [open({ max: maxConnections }), open(probeOptions)];
    await Promise.all([requirePostgres(db), requirePostgres(probe)]);
    const silence = closeSilentConnections({ probe, pools: [db], log });
    closes.push(async () => silence.stop());
    return { log: eventLog, db, databaseUrl, startsPostgres };
  });
}

async function addressesOf(config: Config, log: Log): Promise<Addresses> {
  const run = await runningInstance(config, true);
  if (run !== null) return { ...addressOfRun(run), databaseUrl: run.databaseUrl, startsPostgres: false };
  requireEventLog(config);
  if (config.eventStoreUrl !== null && config.databaseUrl === null) requireData(config, "postgres", "DATABASE_URL");
  return closedOnSignals(async (closes) => {
    const path = await dataDirectoryOf(config, config.eventStoreUrl === null || config.databaseUrl === null, closes);
    const eventStore = await eventStoreOf(config, path, closes);
    const startsPostgres = config.databaseUrl === null;
    return { eventStore, databaseUrl: await databaseOf(config, path, log, closes), startsPostgres };
  });
}

async function eventStoreAddress(config: Config): Promise<EventStoreAddress> {
  const run = await runningInstance(config, false);
  if (run !== null) return addressOfRun(run);
  requireEventLog(config);
  return startedEventStore(config);
}

function startedEventStore(config: Config): Promise<EventStoreAddress> {
  return closedOnSignals(async (closes) => {
    const path = await dataDirectoryOf(config, config.eventStoreUrl === null, closes);
    return { eventStore: await eventStoreOf(config, path, closes) };
  });
}

function requireEventLog(config: Config): void {
  if (config.eventStoreUrl === null) requireData(config, "event-store", "EVENTSTORE_URL");
}

/** Refuses to create new stores: the command would report on empty ones. */
function requireData({ dataDirectory }: Config, name: string, variable: string): void {
  if (existsSync(join(dataDirectory, name))) return;
  throw new DataDirectoryUnusable(
    `No instance runs on ${dataDirectory}, and it has no data (${name}). Set DATA_DIR to the directory of an instance, or set ${variable}.`,
  );
}

function addressOfRun(run: RunFile): EventStoreAddress {
  const names = streamsOfInstance(run.eventStreamPrefix);
  return { eventStore: { ...eventStoreAccess(run.eventStoreUrl), names }, close: async () => {} };
}

type Close = () => Promise<void>;

/** The result of `open`, with a function that closes what it has opened, in reverse order. Closes it on failure. */
async function withCloses<Opened>(
  open: (closes: Close[]) => Promise<Opened>,
): Promise<Opened & { readonly close: Close }> {
  const closes: Close[] = [];
  const close = async (): Promise<void> => {
    for (let last = closes.pop(); last !== undefined; last = closes.pop()) await last();
  };
  try {
    return { ...(await open(closes)), close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

/**
 * As {@link withCloses}; also closes when a signal ends the command. Only for what the command has started: closing
 * its database would wait for statements that run.
 */
async function closedOnSignals<Opened>(
  open: (closes: Close[]) => Promise<Opened>,
): Promise<Opened & { readonly close: Close }> {
  const opening = withCloses(open);
  const forget = releaseOnSignals(() =>
    opening.then(
      ({ close }) => close(),
      () => {},
    ),
  );
  const opened = await opening.catch((failure: unknown) => {
    forget();
    throw failure;
  });
  return { ...opened, close: () => opened.close().finally(forget) };
}

async function dataDirectoryOf(config: Config, isNeeded: boolean, closes: Close[]): Promise<string> {
  if (!isNeeded) return config.dataDirectory;
  const directory = await openDataDirectory(config.dataDirectory);
  closes.push(() => directory.close());
  return directory.path;
}

async function eventStoreOf(config: Config, path: string, closes: Close[]): Promise<EventLogAccess> {
  const names = streamsOfInstance(config.eventStreamPrefix);
  if (config.eventStoreUrl !== null) return { ...eventStoreAccess(config.eventStoreUrl), names };
  const credential = await eventStoreCredential(path);
  const options = { directory: join(path, "event-store"), ...credential, reserveBytes: config.diskReserveBytes };
  const store = await startEmbeddedEventStore(options);
  closes.push(() => store.close());
  return { ...credential, connectionString: store.connectionString, names };
}

async function databaseOf(config: Config, path: string, log: Log, closes: Close[]): Promise<string> {
  if (config.databaseUrl !== null) return config.databaseUrl;
  const server = await startPostgres({ directory: join(path, "postgres"), log });
  closes.push(() => server.stop());
  return server.connectionString;
}
