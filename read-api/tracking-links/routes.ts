import type { Problem } from "../../infra/http/problem.ts";
import { problems } from "../../infra/http/problem.ts";
import { ok, type Route, refuse, route } from "../../infra/http/route.ts";
import { linkDetail, type PublicUrls } from "./link-detail.ts";
import { linkListRoute, type SearchTrackingLinks } from "./list-links.ts";
import { linkNamed, type TrackingLinkOf } from "./named-link.ts";
import { qrRoute } from "./qr.ts";
import { linkNamingBody, linkNamingQuery } from "./schemas.ts";

export interface TrackingLinkReadOptions extends PublicUrls {
  readonly trackingLinkOf: TrackingLinkOf;
  readonly searchTrackingLinks: SearchTrackingLinks;
}

/** A: the detail answers 400 where others answer 404. */
const linkNotFound: Problem = {
  status: 400,
  code: "TRACKING_LINK_NOT_FOUND",
  title: "Bad request",
  detail: "There is no such tracking link.",
};

/** The routes that read tracking links (A: Tracking links). */
export function trackingLinkReadRoutes(options: TrackingLinkReadOptions): readonly Route[] {
  const { trackingLinkOf, searchTrackingLinks, ...urls } = options;
  return [
    linkListRoute({ searchTrackingLinks, ...urls }),
    route({
      method: "get",
      path: "/v1/tracking-links/:id",
      operation: "manage_tracking_links",
      body: linkNamingBody,
      query: linkNamingQuery,
      reads: "control",
      async handle({ app, params, query, body }) {
        if (app === null) return refuse(problems.appNotFound);
        const { id = "" } = params;
        const idType = query.idType ?? body.idType ?? "id";
        const found = await linkNamed(trackingLinkOf, app.appId, idType, id);
        if (found === null) return refuse(linkNotFound);
        return ok({ data: linkDetail(found, app, urls) });
      },
    }),
    qrRoute({ trackingLinkOf, linkBaseUrl: urls.linkBaseUrl }),
  ];
}
