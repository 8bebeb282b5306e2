import type { Problem } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import { findLink, linkNamingBody, linkNamingQuery, type TrackingLinkOf } from "./find-link.ts";
import { linkDetail } from "./link-detail.ts";
import { type LinkListOptions, linkListRoute } from "./list-links.ts";
import { qrRoute } from "./qr.ts";

export interface TrackingLinkReadOptions extends LinkListOptions {
  readonly trackingLinkOf: TrackingLinkOf;
}

/** The detail is 400 where other routes are 404. */
const linkNotFound: Problem = { status: 400, code: "TRACKING_LINK_NOT_FOUND" };

/** The routes that read tracking links (contract/tracking-links.md). */
export function trackingLinkReadRoutes(options: TrackingLinkReadOptions): readonly Route[] {
  const { trackingLinkOf, baseUrl, linkBaseUrl } = options;
  const urls = { baseUrl, linkBaseUrl };
  return [
    linkListRoute(options),
    appRoute({
      method: "get",
      path: "/v1/tracking-links/:id",
      operation: "manage_tracking_links",
      body: linkNamingBody,
      query: linkNamingQuery,
      reads: "control",
      async handle({ app, params, query, body }) {
        const { id = "" } = params;
        const idType = query.idType ?? body.idType ?? "id";
        const found = await findLink(trackingLinkOf, app.appId, idType, id);
        if (found === null) return refuse(linkNotFound);
        return ok({ data: linkDetail(found, app, urls) });
      },
    }),
    qrRoute({ trackingLinkOf, linkBaseUrl }),
  ];
}
