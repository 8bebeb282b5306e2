import type { RegisteredApp } from "../domain/apps/registered-app.ts";
import { rawExportMetadata } from "../domain/raw-exports/metadata.ts";
import { type StreamName, uploadFileStream, uploadStream } from "../domain/streams.ts";
import type { Route } from "../infra/http/routing/route.ts";
import { registeredApps, storedChannels, tokensOf } from "../projections/apps/queries.ts";
import { auditAt, linkHistory, listAudit } from "../projections/audit/queries.ts";
import { conversionModelAt, partnerEventsAt } from "../projections/conversion-values/queries.ts";
import {
  attributionRulesOf,
  decisionsOfDevice,
  listExchangeRates,
  uploadedCategories,
} from "../projections/facts/queries.ts";
import { replacementsOf } from "../projections/facts/uploads/replacement-history.ts";
import { rowsInForce } from "../projections/facts/uploads/rows-in-force.ts";
import type { ReadModel } from "../projections/projection.ts";
import { listRawExports, rawExportOf } from "../projections/raw-exports/queries.ts";
import { listReportTasks, reportTaskOf, reportTasksAt } from "../projections/report-tasks/queries.ts";
import { linkStats } from "../projections/reports/actuals/link-stats.ts";
import { shownAttribution } from "../projections/reports/attributions/shown-attribution.ts";
import type { ChannelMonths } from "../projections/reports/masking/restricted-touchpoints.ts";
import type { PositionOf } from "../projections/reports/query/query-context.ts";
import type { StoredResults } from "../projections/reports/results/result-pages.ts";
import { valuesInTime } from "../projections/reports/values/select-values.ts";
import { searchTrackingLinks, trackingLinkOf, trackingLinksOf } from "../projections/tracking-links/queries.ts";
import { listUploads, uploadOf } from "../projections/uploads/queries.ts";
import { deliveriesOf, webhookOf, webhooksOf } from "../projections/webhooks/queries.ts";
import { deviceRoutes } from "./app-events/routes.ts";
import { appRoutes } from "./apps/routes.ts";
import type { PositionAsOf } from "./as-of.ts";
import { attributionReadRoutes, attributionRulesReadRoutes } from "./attribution/routes.ts";
import { auditRoutes } from "./audit/routes.ts";
import { channelRoutes } from "./channels/routes.ts";
import { conversionFeedRoutes, type FeedOptions } from "./conversion-values/feed-routes.ts";
import { type ConversionModelQueries, conversionModelReadRoutes } from "./conversion-values/model-routes.ts";
import { exchangeRateReadRoutes } from "./exchange-rates/routes.ts";
import type { LogReader } from "./log-reader.ts";
import { type BundleQueries, bundleReadRoutes } from "./prediction/bundle-routes.ts";
import { type ContextCallDeps, contextCallRoutes } from "./prediction/call-routes.ts";
import { type ContextDeps, contextRoute } from "./prediction/context-route.ts";
import { rawExportReadRoutes } from "./raw-exports/routes.ts";
import type { RecordRead } from "./record-read.ts";
import { reportMetadataRoutes } from "./report-metadata/routes.ts";
import { valuesRoute } from "./report-metadata/values-route.ts";
import { explainRoute } from "./report-tasks/explain-route.ts";
import { atAsOfPosition, reportRequestReader } from "./report-tasks/find-task.ts";
import { reportTaskListRoute } from "./report-tasks/list-route.ts";
import { type ReadableReport, reportTaskReadRoutes } from "./report-tasks/read-route.ts";
import { type TokenQueries, tokenRoute } from "./tokens/routes.ts";
import { type LimitsOf, whoamiRoute } from "./tokens/whoami-route.ts";
import { trackingLinkReadRoutes } from "./tracking-links/routes.ts";
import { uploadHistoryRoutes } from "./uploads/history-routes.ts";
import { uploadReadRoutes } from "./uploads/routes.ts";
import { webhookReadRoutes } from "./webhooks/routes.ts";

export interface ReadApiDeps {
  /** The live generation of a projection. */
  live(projection: string): Promise<ReadModel>;
  readonly reports: readonly ReadableReport[];
  readonly results: StoredResults;
  readonly positionOf: PositionOf;
  readonly log: LogReader;
  /** The bytes of an uploaded file. Rejects when they do not have that hash (SHA-256, hex). */
  readFile(stream: StreamName<"uploadFile">, sha256: string): Promise<Uint8Array>;
  /** A position that the facts have passed. */
  readonly factsAsOf: PositionAsOf;
  readonly conversionValues: Omit<FeedOptions, "baseUrl"> & Pick<ConversionModelQueries, "positionAsOf">;
  readonly prediction: {
    readonly bundles: BundleQueries;
    readonly contexts: ContextDeps;
    readonly contextCalls: ContextCallDeps;
  };
  readonly recordRead: RecordRead;
  /** The data that masking depends on now, for one request. */
  channelMonths(): ChannelMonths;
  readonly limitsOf: LimitsOf;
  readonly lastUsesOf: TokenQueries["lastUsesOf"];
  /** The key that an app's salt and a device id make (contract/ingest.md#devices). */
  deviceKey(salt: RegisteredApp["salt"], deviceId: string): string;
  readonly baseUrl: string;
  readonly linkBaseUrl: string;
  /** The key that download URLs of raw exports are signed with. */
  readonly urlSigningKey: string;
}

/** Every route that reads from read models, and the one that predicts from them. */
export function readRoutes(deps: ReadApiDeps): readonly Route[] {
  const { live, log, reports, results, positionOf, prediction, deviceKey, baseUrl, linkBaseUrl, urlSigningKey } = deps;
  const readTask = async (appId: number, taskId: string) => {
    const task = await reportTaskOf(await live("report_tasks"), appId, taskId);
    return task && atAsOfPosition(task, positionOf);
  };
  const reportTasks = { reports, results, reportTaskOf: readTask, reportRequestOf: reportRequestReader(log) };
  return [
    ...administrationReadRoutes({ live, lastUsesOf: deps.lastUsesOf }),
    whoamiRoute(deps.limitsOf),
    ...trackingLinkReadRoutes({
      baseUrl,
      linkBaseUrl,
      trackingLinkOf: async (appId, linkId) => trackingLinkOf(await live("tracking_links"), appId, linkId),
      trackingLinksOf: async (appId, linkIds) => trackingLinksOf(await live("tracking_links"), appId, linkIds),
      linkStats: async ({ appId, currency, timezone }, range, now, linkIds) =>
        linkStats(await live("facts"), { appId, currency, timezone, onlyChannels: null, now }, range, linkIds),
      linkHistory: async (query) => linkHistory(await live("audit"), query),
      tokensOf: async (appId) => tokensOf(await live("apps"), appId),
      searchTrackingLinks: async (search) => searchTrackingLinks(await live("tracking_links"), search),
    }),
    ...deviceRoutes({ deviceKey }),
    ...attributionReadRoutes({
      recordRead: deps.recordRead,
      deviceKey,
      channelMonths: deps.channelMonths,
      decisionsOfDevice: async ({ appId }, key, page) => decisionsOfDevice(await live("facts"), appId, key, page),
      attributionOf: async ({ appId, timezone }, eventId) =>
        shownAttribution(await live("facts"), { appId, timezone, eventId, now: new Date() }),
    }),
    ...attributionRulesReadRoutes({
      attributionRulesOf: async (appId) => attributionRulesOf(await live("facts"), appId),
    }),
    ...reportTaskReadRoutes(reportTasks),
    reportTaskListRoute({
      kinds: reports.map(({ kind }) => kind),
      listReportTasks: async (list) => listReportTasks(await live("report_tasks"), list),
      reportTasksAt: async (appId, positions) => {
        const tasks = [];
        // One after the other: a page can have 500, whose positions are read from the log once.
        for (const task of await reportTasksAt(await live("report_tasks"), appId, positions)) {
          tasks.push(await atAsOfPosition(task, positionOf));
        }
        return tasks;
      },
    }),
    explainRoute({ ...reportTasks, facts: () => live("facts") }),
    ...reportMetadataRoutes({
      uploadedMetrics: async (appId) => uploadedCategories(await live("facts"), appId),
      described: [...reports.flatMap(({ metadata }) => metadata ?? []), rawExportMetadata],
    }),
    valuesRoute({
      valuesOf: async ({ appId, currency, timezone }, onlyChannels, now, query) =>
        valuesInTime(await live("facts"), { appId, currency, timezone, onlyChannels, now }, query),
    }),
    ...auditRoutes({
      listAudit: async (query) => listAudit(await live("audit"), query),
      auditAt: async (positions) => auditAt(await live("audit"), positions),
      tokensOf: async (appId) => tokensOf(await live("apps"), appId),
    }),
    ...rawExportReadRoutes({
      recordRead: deps.recordRead,
      listRawExports: async (list) => listRawExports(await live("raw_exports"), list),
      rawExportOf: async (reportId) => rawExportOf(await live("raw_exports"), reportId),
      baseUrl,
      signingKey: urlSigningKey,
      now: () => new Date(),
    }),
    ...uploadRoutes(deps),
    ...webhookReadRoutes({
      webhooksOf: async (appId) => webhooksOf(await live("webhooks"), appId),
      webhookOf: async (appId, webhookId) => webhookOf(await live("webhooks"), appId, webhookId),
      deliveriesOf: async (search) => deliveriesOf(await live("webhooks"), search),
    }),
    ...conversionValueRoutes({ live, conversionValues: deps.conversionValues, baseUrl }),
    ...bundleReadRoutes(prediction.bundles),
    contextRoute(prediction.contexts),
    ...contextCallRoutes(prediction.contextCalls),
  ];
}

/**
 * The feeds for certified channels, and the history of conversion models for an app's administrators
 * (contract/conversion-values.md).
 */
export function conversionValueRoutes({
  live,
  conversionValues,
  baseUrl,
}: Pick<ReadApiDeps, "live" | "conversionValues" | "baseUrl">): readonly Route[] {
  return [
    ...conversionFeedRoutes({ ...conversionValues, baseUrl }),
    ...conversionModelReadRoutes({
      conversionModelAt: async (appId, position) => conversionModelAt(await live("conversion_values"), appId, position),
      partnerEventsAt: async (appId, position) => partnerEventsAt(await live("conversion_values"), appId, position),
      tokensOf: async (appId) => tokensOf(await live("apps"), appId),
      positionAsOf: conversionValues.positionAsOf,
    }),
  ];
}

/** The records, files and histories of uploads (contract/uploads.md#history). */
export function uploadRoutes({
  live,
  log,
  readFile,
  factsAsOf,
}: Pick<ReadApiDeps, "live" | "log" | "readFile" | "factsAsOf">): readonly Route[] {
  const readUpload = async (appId: number, requestId: string) => uploadOf(await live("uploads"), appId, requestId);
  return [
    ...uploadReadRoutes({
      uploadedFile: (requestId, sha256) => readFile(uploadFileStream(requestId), sha256),
      uploadOf: readUpload,
      listUploads: async (list) => listUploads(await live("uploads"), list),
    }),
    ...uploadHistoryRoutes({
      uploadEvents: (requestId) => log.read(uploadStream(requestId)),
      positionAsOf: factsAsOf,
      uploadOf: readUpload,
      tokensOf: async (appId) => tokensOf(await live("apps"), appId),
      replacementsOf: async (query) => replacementsOf(await live("facts"), query),
      rowsInForce: (query) => rowsInForce(() => live("facts"), query),
    }),
  ];
}

/** The routes that read the settings of operators and owners (contract/administration.md). */
export function administrationReadRoutes({
  live,
  lastUsesOf,
}: Pick<ReadApiDeps, "live" | "lastUsesOf">): readonly Route[] {
  return [
    ...appRoutes({ registeredApps: async () => registeredApps(await live("apps")) }),
    tokenRoute({ tokensOf: async (appId) => tokensOf(await live("apps"), appId), lastUsesOf }),
    ...exchangeRateReadRoutes({
      listExchangeRates: async (list) => listExchangeRates(await live("facts"), list),
    }),
    ...channelRoutes({ storedChannels: async () => storedChannels(await live("apps")) }),
  ];
}
