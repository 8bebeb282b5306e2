import type { Route } from "../../infra/http/routing/route.ts";
import { linkDetailRoute } from "./link-detail.ts";
import { type LinkListOptions, linkListRoute } from "./list-links.ts";
import { type QrOptions, qrRoute } from "./qr.ts";

export interface TrackingLinkReadOptions extends LinkListOptions, QrOptions {}

/** The routes that read tracking links (contract/tracking-links.md). */
export function trackingLinkReadRoutes(options: TrackingLinkReadOptions): readonly Route[] {
  return [linkListRoute(options), linkDetailRoute(options), qrRoute(options)];
}
