import type { RegisteredApp } from "../domain/apps/registered-app.ts";
import type { Route } from "../infra/http/route.ts";
import { registeredApps, storedChannels, tokensOf } from "../projections/apps/queries.ts";
import { attributionOf } from "../projections/facts/queries.ts";
import { reportTaskOf } from "../projections/report-tasks/queries.ts";
import type { StoredResults } from "../projections/reports/result-pages.ts";
import { searchTrackingLinks, trackingLinkOf } from "../projections/tracking-links/queries.ts";
import { uploadOf } from "../projections/uploads/queries.ts";
import { deviceRoutes } from "./app-events/device-routes.ts";
import { appRoutes } from "./apps/routes.ts";
import { attributionReadRoutes } from "./attribution/routes.ts";
import { channelRoutes } from "./channels/routes.ts";
import { reportTaskReadRoutes } from "./report-tasks/routes.ts";
import { trackingLinkReadRoutes } from "./tracking-links/routes.ts";
import { uploadReadRoutes } from "./uploads/routes.ts";

type LiveReadModel = Parameters<typeof registeredApps>[0];

export interface ReadApiDeps {
  /** The generation of a projection that answers now. */
  live(projection: string): Promise<LiveReadModel>;
  readonly results: StoredResults;
  /** D5.4: the key that an app's salt and a device id make. */
  deviceKey(salt: RegisteredApp["salt"], deviceId: string): string;
  readonly baseUrl: string;
  readonly linkBaseUrl: string;
}

/** Every route that answers from read models. */
export function readRoutes({ live, results, deviceKey, baseUrl, linkBaseUrl }: ReadApiDeps): readonly Route[] {
  return [
    ...administrationReadRoutes({ live }),
    ...trackingLinkReadRoutes({
      baseUrl,
      linkBaseUrl,
      trackingLinkOf: async (appId, linkId) => trackingLinkOf(await live("tracking_links"), appId, linkId),
      searchTrackingLinks: async (search) => searchTrackingLinks(await live("tracking_links"), search),
    }),
    ...deviceRoutes({ deviceKey }),
    ...attributionReadRoutes({ attributionOf: async (appId, id) => attributionOf(await live("facts"), appId, id) }),
    ...reportTaskReadRoutes({
      results,
      reportTaskOf: async (appId, taskId) => reportTaskOf(await live("report_tasks"), appId, taskId),
    }),
    ...uploadReadRoutes({ uploadOf: async (appId, requestId) => uploadOf(await live("uploads"), appId, requestId) }),
  ];
}

/** What operators and owners have set up (D3). */
export function administrationReadRoutes({ live }: Pick<ReadApiDeps, "live">): readonly Route[] {
  return [
    ...appRoutes({
      registeredApps: async () => registeredApps(await live("apps")),
      tokensOf: async (appId) => tokensOf(await live("apps"), appId),
    }),
    ...channelRoutes({ storedChannels: async () => storedChannels(await live("apps")) }),
  ];
}
