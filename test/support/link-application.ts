import { suite } from "uvu";
import { createJournals } from "../../commands/journals/journal.ts";
import { appAssociations } from "../../commands/link-serving/app-associations.ts";
import { createLinkCache, type LinkCache } from "../../commands/link-serving/link-cache.ts";
import { linkHandler, openPageHandler } from "../../commands/link-serving/link-handler.ts";
import { trackingLinkRoutes } from "../../commands/tracking-links/routes.ts";
import { registeredApp } from "../../domain/apps/registered-app.ts";
import { builtInChannel } from "../../domain/channels/built-in.ts";
import { customChannel } from "../../domain/channels/channel-name.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { TouchpointEvent } from "../../domain/touchpoints/events.ts";
import type { RateLimiter } from "../../infra/http/routing/rate-limiter.ts";
import { createHttpApp } from "../../infra/http/server/http-app.ts";
import { serveByHost } from "../../infra/http/server/serve-by-host.ts";
import type { TokenRow } from "../../projections/apps/queries.ts";
import { auditProjection } from "../../projections/audit/projection.ts";
import { linkHistory } from "../../projections/audit/queries.ts";
import { noStats } from "../../projections/reports/actuals/link-stats.ts";
import { trackingLinksProjection } from "../../projections/tracking-links/projection.ts";
import {
  searchTrackingLinks,
  trackingLinkById,
  trackingLinkOf,
  trackingLinksOf,
} from "../../projections/tracking-links/queries.ts";
import { trackingLinkReadRoutes } from "../../read-api/tracking-links/routes.ts";
import { shop } from "../examples/app.ts";
import { type Application, type Foundation, principals, startApplication } from "./application.ts";

/** The example shop with a redirect host, another app that may not see its links, and one without any destination. */
const linkShop = registeredApp({ ...shop, redirectHosts: ["news.example"] }, "2026-01-01T00:00:00.000Z", 0n);
const otherShop = { ...linkShop, appId: 2, name: "other_shop" };
const bareShop = {
  ...linkShop,
  ...{ appId: 3, name: "bare_shop", iosStoreId: null, androidPackage: null, desktopUrl: null, redirectHosts: [] },
};

const ownerToken: TokenRow = {
  ...{ tokenId: principals.owner.tokenId, kind: "api", role: "owner", channels: [], label: "site" },
  ...{ issuedAt: new Date(0), revokedAt: null },
};

export interface LinkApplication extends Application {
  readonly links: LinkCache;
  /** Clicks that were lost, and requests for links that do not exist. */
  readonly seen: { lost: unknown[]; unresolved: number };
  /** Touchpoints in the log, oldest first. */
  touchpoints(): Promise<readonly RecordedEvent<TouchpointEvent>[]>;
  /** The last of them; fails when there is none. */
  lastTouchpoint(): Promise<RecordedEvent<TouchpointEvent>>;
}

/** A suite whose tests share one link application. */
export function linkSuite(name: string) {
  const tests = suite<{ application: LinkApplication }>(name);
  tests.before(async (context) => {
    context.application = await startLinkApplication();
  });
  tests.after(({ application }) => application.close());
  return tests;
}

/** Tracking links from creation to the click. Tokens: the examples, and `bare_owner`. */
export async function startLinkApplication(
  options: { readonly rateLimiter?: RateLimiter | null; readonly maxWaitingEvents?: number } = {},
): Promise<LinkApplication> {
  const apps = [linkShop, otherShop, bareShop];
  const seen: LinkApplication["seen"] = { lost: [], unresolved: 0 };
  let cache: LinkCache | undefined;
  const linkCache = ({ log, readModel }: Foundation): LinkCache => {
    cache ??= createLinkCache({ log, storedLink: (linkId) => trackingLinkById(readModel(), linkId) });
    return cache;
  };
  const application = await startApplication({
    deadlineMs: 1_000,
    apps,
    principals: { bare_owner: { ...principals.owner, tokenId: "id-of-bare_owner", appId: bareShop.appId } },
    projections: [trackingLinksProjection, auditProjection],
    onProjected: (event) => cache?.apply([event]),
    app: (foundation) => {
      const { log, baseUrl } = foundation;
      const journals = createJournals(log, { retryForMs: 0, maxWaitingEvents: options.maxWaitingEvents ?? 1_000 });
      const links = linkHandler({
        links: linkCache(foundation),
        rateLimiter: options.rateLimiter ?? null,
        findApp: async (appId) => apps.find((app) => app.appId === appId) ?? null,
        spoolingJournals: journals,
        journals,
        baseUrl,
        onClickLost: (reason) => seen.lost.push(reason),
        onUnresolvedClick: () => {
          seen.unresolved += 1;
        },
      });
      const urls = { baseUrl, linkBaseUrl: `${baseUrl}/l` };
      const associations = appAssociations({ allApps: async () => apps, ...urls });
      const app = createHttpApp([], serveByHost(urls, links, associations));
      app.get("/open", openPageHandler());
      return app;
    },
    routes: (foundation) => {
      const { log, baseUrl, readModel } = foundation;
      const linkBaseUrl = `${baseUrl}/l`;
      return [
        ...trackingLinkRoutes({
          log,
          channelProfile: async (name) => builtInChannel(name) ?? customChannel(name),
          linkBaseUrl,
          onLinkCreated: linkCache(foundation).forgetMiss,
        }),
        ...trackingLinkReadRoutes({
          baseUrl,
          linkBaseUrl,
          trackingLinkOf: (appId, linkId) => trackingLinkOf(readModel(), appId, linkId),
          trackingLinksOf: (appId, linkIds) => trackingLinksOf(readModel(), appId, linkIds),
          searchTrackingLinks: (search) => searchTrackingLinks(readModel(), search),
          linkStats: async () => noStats,
          linkHistory: (query) => linkHistory(readModel(), query),
          tokensOf: async () => [ownerToken],
        }),
      ];
    },
  });
  const touchpoints = async () => {
    const events = await application.events();
    return events.filter(({ stream }) => stream.startsWith("touchpoints-")) as RecordedEvent<TouchpointEvent>[];
  };
  return {
    ...application,
    links: linkCache(application),
    seen,
    touchpoints,
    lastTouchpoint: async () => {
      const last = (await touchpoints()).at(-1);
      if (last === undefined) throw new Error("The log has no touchpoint");
      return last;
    },
  };
}
