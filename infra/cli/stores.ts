import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Knex } from "knex";
import type { Config } from "../config/config.ts";
import { DataDirectoryUnusable, openDataDirectory } from "../data-directory/data-directory.ts";
import { type RunFile, readRunFile } from "../data-directory/run-file.ts";
import { storedSecret } from "../data-directory/secrets.ts";
import { startEmbeddedEventStore } from "../embedded-event-store/event-store.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { type EventLogAccess, eventStoreAccess } from "../event-log/event-store-access.ts";
import { createEventLog } from "../event-log/eventstore-event-log.ts";
import { createStoredLog, type StoredLog } from "../event-log/stored-log.ts";
import { streamsOfInstance } from "../event-log/stream-names.ts";
import { openDatabase, requirePostgres } from "../postgres/database.ts";
import { startPostgres } from "../postgres/server.ts";
import type { Log } from "../process/log.ts";
import { releaseOnSignals } from "./early-end.ts";

/** The event log and the database of an instance, for a command. */
export interface OpenStores {
  readonly log: EventLog;
  readonly db: Knex;
  readonly databaseUrl: string;
  close(): Promise<void>;
}

interface Addresses {
  readonly eventStore: EventLogAccess;
  readonly databaseUrl: string;
  release(): Promise<void>;
}

const deadlineMs = 30_000;
const maxConnections = 8;

/** The event log of an instance, for a command. */
export interface OpenEventLog {
  readonly log: EventLog;
  close(): Promise<void>;
}

/**
 * The event log alone, of the instance that runs on the data directory or as the configuration names it; no Postgres
 * is started for it.
 * @throws {DataDirectoryUnusable} as {@link openStores}
 */
export async function openEventLog(config: Config): Promise<OpenEventLog> {
  const { eventStore, release } = await eventStoreAddress(config);
  const log = createEventLog({ ...eventStore, deadlineMs });
  return {
    log,
    close: async () => {
      await log.close();
      await release();
    },
  };
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
  return storedLogOf(await eventStoreAddress(config));
}

/**
 * The stored log at an event store that the configuration names, or in the embedded one of its data directory, which is
 * created when missing.
 * @throws {DataDirectoryUnusable} while an instance runs on the directory
 */
export async function openTargetLog(config: Config): Promise<OpenStoredLog> {
  return storedLogOf(
    await withReleases(async (releases) => {
      const path = await dataDirectoryOf(config, config.eventStoreUrl === null, releases);
      return { eventStore: await eventStoreOf(config, path, releases) };
    }),
  );
}

async function storedLogOf({ eventStore, release }: Omit<Addresses, "databaseUrl">): Promise<OpenStoredLog> {
  try {
    const log = createStoredLog({ ...eventStore, deadlineMs });
    const close = async (): Promise<void> => {
      await log.close();
      await release();
    };
    return { log, prefix: eventStore.names.prefix, close };
  } catch (failure) {
    await release();
    throw failure;
  }
}

/**
 * The stores of the instance that runs on the data directory; when none runs, those that the configuration names, the
 * embedded ones started here for as long as the command needs them.
 * @throws {StartupError} when Postgres does not answer
 * @throws {DataDirectoryUnusable} when another process uses the data directory without a run file, or when there is
 *   neither an instance nor its data
 */
export async function openStores(config: Config, log: Log): Promise<OpenStores> {
  const addresses = await addressesOf(config, log);
  const db = openDatabase(addresses.databaseUrl, {
    max: maxConnections,
    applicationName: "touchledger command",
    synchronousCommit: "off",
  });
  const eventLog = createEventLog({ ...addresses.eventStore, deadlineMs });
  const close = async (): Promise<void> => {
    await db.destroy();
    await eventLog.close();
    await addresses.release();
  };
  await requirePostgres(db).catch(async (failure) => {
    await close();
    throw failure;
  });
  return {
    log: eventLog,
    db,
    databaseUrl: addresses.databaseUrl,
    close,
  };
}

async function addressesOf(config: Config, log: Log): Promise<Addresses> {
  const run = await readRunFile(config.dataDirectory);
  if (run !== null) return { ...addressOfRun(run), databaseUrl: run.databaseUrl };
  requireEventLog(config);
  if (config.eventStoreUrl !== null && config.databaseUrl === null) requireData(config, "postgres", "DATABASE_URL");
  return withReleases(async (releases) => {
    const path = await dataDirectoryOf(config, config.eventStoreUrl === null || config.databaseUrl === null, releases);
    const eventStore = await eventStoreOf(config, path, releases);
    return { eventStore, databaseUrl: await databaseOf(config, path, log, releases) };
  });
}

async function eventStoreAddress(config: Config): Promise<Omit<Addresses, "databaseUrl">> {
  const run = await readRunFile(config.dataDirectory);
  if (run !== null) return addressOfRun(run);
  requireEventLog(config);
  return withReleases(async (releases) => {
    const path = await dataDirectoryOf(config, config.eventStoreUrl === null, releases);
    return { eventStore: await eventStoreOf(config, path, releases) };
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

function addressOfRun(run: RunFile): Omit<Addresses, "databaseUrl"> {
  const names = streamsOfInstance(run.eventStreamPrefix);
  return { eventStore: { ...eventStoreAccess(run.eventStoreUrl), names }, release: async () => {} };
}

type Release = () => Promise<void>;

/**
 * The result of `open`, with a function that releases what it has opened, in reverse order. Releases it on failure, and
 * when a signal ends the command.
 */
async function withReleases<Opened>(
  open: (releases: Release[]) => Promise<Opened>,
): Promise<Opened & { readonly release: Release }> {
  const releases: Release[] = [];
  const releaseAll = async (): Promise<void> => {
    for (let last = releases.pop(); last !== undefined; last = releases.pop()) await last();
  };
  const opening = open(releases);
  const forget = releaseOnSignals(() => opening.then(releaseAll, releaseAll));
  const release = (): Promise<void> => releaseAll().finally(forget);
  try {
    return { ...(await opening), release };
  } catch (failure) {
    await release();
    throw failure;
  }
}

async function dataDirectoryOf(config: Config, isNeeded: boolean, releases: Release[]): Promise<string> {
  if (!isNeeded) return config.dataDirectory;
  const directory = await openDataDirectory(config.dataDirectory);
  releases.push(() => directory.close());
  return directory.path;
}

async function eventStoreOf(config: Config, path: string, releases: Release[]): Promise<EventLogAccess> {
  const names = streamsOfInstance(config.eventStreamPrefix);
  if (config.eventStoreUrl !== null) return { ...eventStoreAccess(config.eventStoreUrl), names };
  const { text: password } = await storedSecret(path, "event-store-password");
  const credential = { username: "touchledger", password };
  const options = { directory: join(path, "event-store"), ...credential, reserveBytes: config.diskReserveBytes };
  const store = await startEmbeddedEventStore(options);
  releases.push(() => store.close());
  return { ...credential, connectionString: store.connectionString, names };
}

async function databaseOf(config: Config, path: string, log: Log, releases: Release[]): Promise<string> {
  if (config.databaseUrl !== null) return config.databaseUrl;
  const server = await startPostgres({ directory: join(path, "postgres"), log });
  releases.push(() => server.stop());
  return server.connectionString;
}
