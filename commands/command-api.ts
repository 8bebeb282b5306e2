import type { EventLog } from "../infra/event-log/event-log.ts";
import type { RateLimiter } from "../infra/http/routing/rate-limiter.ts";
import type { Route } from "../infra/http/routing/route.ts";
import { appEventRoutes } from "./app-events/ingest.ts";
import type { AppDirectory } from "./apps/app-directory.ts";
import { attributionRulesRoutes } from "./apps/attribution-rules-routes.ts";
import { changeAppRoute } from "./apps/change-app.ts";
import { type ContextSwitchDeps, contextSwitchRoutes } from "./apps/context-switch-routes.ts";
import { registerAppRoute } from "./apps/register-app.ts";
import { uploadedMetricRoutes } from "./apps/uploaded-metric-routes.ts";
import { certificationRoutes } from "./channels/certification-routes.ts";
import type { ChannelDirectory } from "./channels/channel-directory.ts";
import { channelFinder, type FindChannel, type RegisteredChannels } from "./channels/find-channel.ts";
import { channelRoutes } from "./channels/routes.ts";
import { type ConversionModelDeps, conversionModelRoutes } from "./conversion-values/routes.ts";
import { exchangeRateRoutes } from "./exchange-rates/routes.ts";
import type { Journals } from "./journals/journal.ts";
import type { LinkCache } from "./link-serving/link-cache.ts";
import { openedLinks } from "./link-serving/opened-links.ts";
import type { BundleDirectory } from "./prediction/bundle-directory.ts";
import { type BundleRouteDeps, bundleRoutes } from "./prediction/bundle-routes.ts";
import { rawExportRoutes } from "./raw-exports/routes.ts";
import { type ReportTaskDeps, reportTaskRoutes } from "./report-tasks/routes.ts";
import { tokenRoutes } from "./tokens/routes.ts";
import { backFillRoutes } from "./touchpoints/back-fill.ts";
import { createUserAgentReader } from "./touchpoints/user-agent.ts";
import { type OpenDeferredDeps, openDeferredRoute } from "./tracking-links/open-deferred.ts";
import { trackingLinkRoutes } from "./tracking-links/routes.ts";
import { uploadRoutes } from "./uploads/routes.ts";
import { type WebhookRouteDeps, webhookRoutes } from "./webhooks/routes.ts";

export interface CommandApiDeps {
  readonly log: EventLog;
  readonly journals: Journals;
  readonly apps: AppDirectory;
  readonly channels: ChannelDirectory;
  readonly registeredChannels: RegisteredChannels;
  readonly links: LinkCache;
  readonly bundles: BundleDirectory;
  readonly scoring: Pick<BundleRouteDeps, "checkModels" | "activated">;
  readonly linkBaseUrl: string;
  readonly baseUrl: string;
  readonly decisionInForce: OpenDeferredDeps["decisionInForce"];
  readonly shownWinner: OpenDeferredDeps["shownWinner"];
  /** Null: devices are not limited. */
  readonly rateLimiter: RateLimiter | null;
  readonly uploadedMetrics: ReportTaskDeps["uploadedMetrics"];
  readonly reports: ReportTaskDeps["reports"];
  readonly waitForPosition: ReportTaskDeps["waitForPosition"];
  readonly hadTurn: ReportTaskDeps["hadTurn"];
  readonly resolveAsOf: ReportTaskDeps["resolveAsOf"];
  readonly onContextSwitched: ContextSwitchDeps["onSwitched"];
  readonly onConversionValuesChanged: ConversionModelDeps["onChanged"];
  readonly webhooks: Omit<WebhookRouteDeps, "log">;
}

/** Every route that appends. */
export function commandRoutes(deps: CommandApiDeps): readonly Route[] {
  const { log, journals, apps, channels, links, linkBaseUrl, rateLimiter, uploadedMetrics, resolveAsOf } = deps;
  const channelProfile = channels.profileOf;
  const findChannel = channelFinder(log, deps.registeredChannels);
  return [
    ...administrationRoutes({ log, refreshApps: apps.refresh, findChannel }),
    ...attributionRulesRoutes({ log }),
    ...uploadedMetricRoutes({ log, uploadedMetrics }),
    ...contextSwitchRoutes({ log, onSwitched: deps.onContextSwitched }),
    ...conversionModelRoutes({ log, findChannel, onChanged: deps.onConversionValuesChanged }),
    openDeferredRoute({ ...deps, openPageUrl: `${deps.baseUrl}/open` }),
    ...trackingLinkRoutes({ log, channelProfile, linkBaseUrl, onLinkCreated: links.forgetMiss }),
    ...appEventRoutes({ journals, openedLinks: openedLinks(links, linkBaseUrl), rateLimiter }),
    ...backFillRoutes({
      journals,
      channelProfile,
      linkById: async (appId, linkId) => {
        const found = await links.findForIngest(linkId);
        return found !== null && found.link.appId === appId ? found.link : null;
      },
      readUserAgent: createUserAgentReader(),
    }),
    ...reportTaskRoutes({
      log,
      reports: deps.reports,
      uploadedMetrics,
      resolveAsOf,
      waitForPosition: deps.waitForPosition,
      hadTurn: deps.hadTurn,
    }),
    ...rawExportRoutes({ log }),
    ...uploadRoutes({ log }),
    ...webhookRoutes({ log, ...deps.webhooks }),
    ...bundleRoutes({ log, bundles: deps.bundles, findAppById: apps.findAppById, ...deps.scoring }),
  ];
}

/**
 * The routes of operators and owners (contract/administration.md). `refreshApps` makes a newly registered app known to
 * this process.
 */
export function administrationRoutes({
  log,
  refreshApps,
  findChannel,
}: {
  readonly log: EventLog;
  readonly refreshApps: AppDirectory["refresh"];
  readonly findChannel: FindChannel;
}): readonly Route[] {
  return [
    registerAppRoute({ log, onAppRegistered: refreshApps }),
    changeAppRoute({ log, onAppChanged: refreshApps }),
    ...tokenRoutes({ log }),
    ...channelRoutes({ log }),
    ...certificationRoutes({ log, findChannel }),
    ...exchangeRateRoutes({ log }),
  ];
}
