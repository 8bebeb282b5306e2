import type { Route } from "../../infra/http/routing/route.ts";
import { bulkLinkRoute } from "./bulk.ts";
import { archiveRoute, campaignParamsRoute, ogTagRoute, routingRoute } from "./change-link.ts";
import { createLinkRoute, type LinkCreatorOptions, linkCreator } from "./create-link.ts";

/** The routes that write tracking links (contract/tracking-links.md). */
export function trackingLinkRoutes(options: LinkCreatorOptions): readonly Route[] {
  const create = linkCreator(options);
  const { log } = options;
  return [
    createLinkRoute(create),
    bulkLinkRoute(create),
    ogTagRoute(log),
    routingRoute(log),
    campaignParamsRoute(log),
    archiveRoute(log, "archive"),
    archiveRoute(log, "restore"),
  ];
}
