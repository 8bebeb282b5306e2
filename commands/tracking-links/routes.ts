import type { Route } from "../../infra/http/routing/route.ts";
import { bulkLinkRoute } from "./bulk.ts";
import { archiveRoute, campaignParamsRoute, ogTagRoute, routingRoute } from "./change-link.ts";
import { createLinkRoute, type LinkCreatorOptions, linkCreator } from "./create-link.ts";

export interface TrackingLinkDeps extends LinkCreatorOptions {
  readonly linkBaseUrl: string;
}

/** The routes that write tracking links (contract/tracking-links.md). */
export function trackingLinkRoutes(options: TrackingLinkDeps): readonly Route[] {
  const create = linkCreator(options);
  const { log, linkBaseUrl } = options;
  return [
    createLinkRoute(create, linkBaseUrl),
    bulkLinkRoute(create, linkBaseUrl),
    ogTagRoute(log),
    routingRoute(log),
    campaignParamsRoute(log),
    archiveRoute(log, "archive"),
    archiveRoute(log, "restore"),
  ];
}
