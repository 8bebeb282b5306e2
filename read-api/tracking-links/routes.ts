import type { Route } from "../../infra/http/routing/route.ts";
import { type LinkHistoryOptions, linkHistoryRoute } from "./history.ts";
import { linkDetailRoute } from "./link-detail.ts";
import { type LinkListOptions, linkListRoute } from "./list-links.ts";
import { type QrOptions, qrRoute } from "./qr.ts";

export interface TrackingLinkReadOptions extends LinkListOptions, LinkHistoryOptions, QrOptions {}

/** The routes that read tracking links (contract/tracking-links.md). */
export function trackingLinkReadRoutes(options: TrackingLinkReadOptions): readonly Route[] {
  return [linkListRoute(options), linkDetailRoute(options), linkHistoryRoute(options), qrRoute(options)];
}
