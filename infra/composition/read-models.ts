import { join } from "node:path";
import type { Knex } from "knex";
import { type AppDirectory, createAppDirectory } from "../../commands/apps/app-directory.ts";
import { type ContextSwitches, createContextSwitches } from "../../commands/apps/context-switches.ts";
import { type ChannelDirectory, createChannelDirectory } from "../../commands/channels/channel-directory.ts";
import { createPublishedModels, type PublishedModels } from "../../commands/conversion-values/published-models.ts";
import { createLinkCache, type LinkCache } from "../../commands/link-serving/link-cache.ts";
import { type BundleDirectory, createBundleDirectory } from "../../commands/prediction/bundle-directory.ts";
import { hourMs } from "../../domain/values/instants.ts";
import { appsProjection } from "../../projections/apps/projection.ts";
import { auditProjection } from "../../projections/audit/projection.ts";
import { auditTrace } from "../../projections/audit/queries.ts";
import { conversionValuesProjection } from "../../projections/conversion-values/projection.ts";
import { createProjector, type Projector } from "../../projections/engine/runner/projector.ts";
import { facts } from "../../projections/facts/projection.ts";
import { contextCallsProjection } from "../../projections/prediction/projection.ts";
import type { Projection, ReadModels } from "../../projections/projection.ts";
import { rawExportsProjection } from "../../projections/raw-exports/projection.ts";
import { maskingTimeoutMs } from "../../projections/raw-exports/rows.ts";
import { createReadModels } from "../../projections/read-models.ts";
import { reportTasksProjection } from "../../projections/report-tasks/projection.ts";
import { installViews, lockingViews } from "../../projections/sql-views/install.ts";
import { viewSchema } from "../../projections/sql-views/views.ts";
import { trackingLinksProjection } from "../../projections/tracking-links/projection.ts";
import { trackingLinkById } from "../../projections/tracking-links/queries.ts";
import { uploadsProjection } from "../../projections/uploads/projection.ts";
import { webhooksProjection } from "../../projections/webhooks/projection.ts";
import type { Config } from "../config/config.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { probeOptions } from "../postgres/close-silent-connections.ts";
import { openDatabase, requirePostgres, socketsOf } from "../postgres/database.ts";
import { startPostgres } from "../postgres/server.ts";
import type { Log } from "../process/log.ts";
import { tracedBatch } from "../tracing/traced-log.ts";

/** Every read model. */
export const projections: readonly Projection[] = [
  appsProjection,
  trackingLinksProjection,
  reportTasksProjection,
  rawExportsProjection,
  uploadsProjection,
  facts,
  contextCallsProjection,
  conversionValuesProjection,
  auditProjection,
  webhooksProjection,
];

/** The schema of the SQL views (contract/sql.md). */
export const sqlViewSchema = viewSchema;

/** Runs work in a transaction during which the SQL views and the access to them stay as they are. */
export const lockingSqlViews = lockingViews;

/** Points the SQL views at the live generations (contract/sql.md). */
export function installSqlViews(db: Knex): Promise<void> {
  return installViews(db, { facts, apps: appsProjection });
}

/** Returns a function that finds the audited events about an id (contract/administration.md#audit-trail). */
export function openAuditTrace(db: Knex) {
  const models = createReadModels(db, projections);
  return async (id: string, max: number) => auditTrace(await models.live("audit"), id, max);
}

/** Maximum time of a query of the read API, and of its wait for a connection. */
const queryTimeoutMs = 15_000;
const acquireTimeoutMs = 5_000;
/** Long enough to create an index, but ends statements whose connection is dead. */
const workTimeouts = { statementTimeoutMs: hourMs, idleTransactionTimeoutMs: 10_000 };
/** For the look-ups of context calls, which get a response within a second in any case. */
const lookUpTimeouts = { statementTimeoutMs: 700, acquireTimeoutMs: 700, connectTimeoutMs: 700 };

export interface OpenPostgres {
  readonly connectionString: string;
  stop(): Promise<void>;
}

/** The Postgres that the configuration names, or one in the data directory. */
export async function openPostgres(
  { databaseUrl }: Config,
  directory: string,
  onFailure: (failure: Error) => void,
  log: Log,
): Promise<OpenPostgres> {
  if (databaseUrl !== null) return { connectionString: databaseUrl, stop: async () => {} };
  return startPostgres({ directory: join(directory, "postgres"), log, onFailure });
}

/** A pool for each purpose, so that none can exhaust the connections of another. */
export interface Databases {
  readonly reading: Knex;
  readonly lookingUp: Knex;
  readonly projecting: Knex;
  readonly reporting: Knex;
  /**
   * For what is sent to webhooks: two statements at a time, so that ten webhooks of an event leave processor time to the
   * links of the same machine. Commits do not wait for the disk, which links need for their clicks.
   */
  readonly notifying: Knex;
  /** For downloads of raw exports, which must not take the connections of the read API. */
  readonly exporting: Knex;
  /** For the question whether Postgres responds. */
  readonly probing: Knex;
}

/** @throws {StartupError} when Postgres does not respond */
export async function openDatabases(connectionString: string): Promise<Databases> {
  const open = (applicationName: string, max: number, more: object): Knex =>
    openDatabase(connectionString, { applicationName: `touchledger ${applicationName}`, max, ...more });
  const databases: Databases = {
    reading: open("read api", 10, { statementTimeoutMs: queryTimeoutMs, acquireTimeoutMs }),
    lookingUp: open("context", 4, lookUpTimeouts),
    projecting: open("projections", 12, { synchronousCommit: "off", ...workTimeouts }),
    reporting: open("reactors", 8, workTimeouts),
    notifying: open("webhooks", 2, { synchronousCommit: "off", ...workTimeouts }),
    exporting: open("exports", 6, { statementTimeoutMs: maskingTimeoutMs }),
    probing: open("probe", probeOptions.max, probeOptions),
  };
  await requirePostgres(databases.reading);
  return databases;
}

/** How long statements may still take once all that sends them has stopped. */
const lastStatementsMs = 2_000;

/** Closes the pools, also when Postgres does not respond: its connections are no longer watched by then. */
export async function closeDatabases(databases: Databases): Promise<void> {
  const pools = Object.values(databases);
  const cutOff = setTimeout(() => {
    for (const socket of pools.flatMap((pool) => [...socketsOf(pool)])) socket.destroy();
  }, lastStatementsMs);
  await Promise.all(pools.map((pool) => pool.destroy())).finally(() => clearTimeout(cutOff));
}

/** The read models, in memory and in Postgres, all fed by one tail of the log. */
export interface OpenReadModels {
  readonly apps: AppDirectory;
  readonly channels: ChannelDirectory;
  readonly links: LinkCache;
  readonly bundles: BundleDirectory;
  readonly contextSwitches: ContextSwitches;
  readonly publishedModels: PublishedModels;
  readonly projector: Projector;
  readonly models: ReadModels;
  /**
   * Follows the log, and then reads the apps and bundles: events that are appended meanwhile reach them by the tail. Rejects
   * with nothing left running.
   */
  start(): Promise<void>;
}

/** Creates the read models of a process; nothing runs before `start`. */
export function openReadModels(
  eventLog: EventLog,
  { reading, projecting }: Databases,
  runsProjections: boolean,
  log: Log,
): OpenReadModels {
  const models = createReadModels(reading, projections);
  const apps = createAppDirectory(eventLog);
  const channels = createChannelDirectory(eventLog);
  const storedLink = async (linkId: number) => trackingLinkById(await models.live("tracking_links"), linkId);
  const links = createLinkCache({ log: eventLog, storedLink });
  const bundles = createBundleDirectory(eventLog);
  const contextSwitches = createContextSwitches(eventLog);
  const publishedModels = createPublishedModels(eventLog);
  const inMemory = [apps, channels, links, bundles, contextSwitches, publishedModels];
  const listeners = inMemory.map(({ apply }) => apply);
  const projector = createProjector({
    db: projecting,
    log: eventLog,
    projections,
    listeners,
    runsProjections,
    logger: log,
    aroundBatch: tracedBatch,
    followLive: () => installSqlViews(projecting),
  });
  const start = async (): Promise<void> => {
    try {
      await projector.start();
      await Promise.all([apps.refresh(), bundles.refresh()]);
    } catch (failure) {
      // It may hold connections already, which the databases wait for.
      await projector.stop();
      throw failure;
    }
  };
  return { apps, channels, links, bundles, contextSwitches, publishedModels, projector, models, start };
}
