import type { Knex } from "knex";
import { type AppDirectory, createAppDirectory } from "../../commands/apps/app-directory.ts";
import { type ContextSwitches, createContextSwitches } from "../../commands/apps/context-switches.ts";
import { type ChannelDirectory, createChannelDirectory } from "../../commands/channels/channel-directory.ts";
import { createPublishedModels, type PublishedModels } from "../../commands/conversion-values/published-models.ts";
import { createLinkCache, type LinkCache } from "../../commands/link-serving/link-cache.ts";
import { type BundleDirectory, createBundleDirectory } from "../../commands/prediction/bundle-directory.ts";
import { appsProjection } from "../../projections/apps/projection.ts";
import { auditProjection } from "../../projections/audit/projection.ts";
import { auditTrace } from "../../projections/audit/queries.ts";
import { conversionValuesProjection } from "../../projections/conversion-values/projection.ts";
import { createProjector, type Projector } from "../../projections/engine/runner/projector.ts";
import { facts } from "../../projections/facts/projection.ts";
import { contextCallsProjection } from "../../projections/prediction/projection.ts";
import type { Projection, ReadModels } from "../../projections/projection.ts";
import { rawExportsProjection } from "../../projections/raw-exports/projection.ts";
import { createReadModels } from "../../projections/read-models.ts";
import { reportTasksProjection } from "../../projections/report-tasks/projection.ts";
import { installViews, lockingViews } from "../../projections/sql-views/install.ts";
import { viewSchema } from "../../projections/sql-views/views.ts";
import { trackingLinksProjection } from "../../projections/tracking-links/projection.ts";
import { trackingLinkById } from "../../projections/tracking-links/queries.ts";
import { uploadsProjection } from "../../projections/uploads/projection.ts";
import { webhooksProjection } from "../../projections/webhooks/projection.ts";
import type { EventLog } from "../event-log/event-log.ts";
import type { Log } from "../process/log.ts";
import { tracedBatch } from "../tracing/traced-log.ts";
import type { Databases } from "./connection-pools.ts";

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
