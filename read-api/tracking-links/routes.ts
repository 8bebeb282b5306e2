import { createHash } from "node:crypto";
import { isNamed, linkIdNamed } from "../../domain/tracking-links/link-ids.ts";
import type { Problem } from "../../infra/http/problem.ts";
import { problems } from "../../infra/http/problem.ts";
import { ok, type Route, refuse, route } from "../../infra/http/route.ts";
import type { TrackingLinkRow } from "../../projections/tracking-links/queries.ts";
import { linkDetail, type PublicUrls } from "./link-detail.ts";
import { linkNamingBody, linkNamingQuery } from "./schemas.ts";

export interface TrackingLinkReadOptions extends PublicUrls {
  /** A link of an app; null when the app has none of that id. */
  readonly trackingLinkOf: (appId: number, linkId: number) => Promise<TrackingLinkRow | null>;
}

/** A: the detail answers 400 where others answer 404. */
const linkNotFound: Problem = {
  status: 400,
  code: "TRACKING_LINK_NOT_FOUND",
  title: "Bad request",
  detail: "There is no such tracking link.",
};

/** The routes that read tracking links (A: Tracking links). */
export function trackingLinkReadRoutes({ trackingLinkOf, ...urls }: TrackingLinkReadOptions): readonly Route[] {
  return [
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
        const linkId = linkIdNamed(idType, id, sha256);
        const found = linkId === null ? null : await trackingLinkOf(app.appId, linkId);
        if (found === null || !isNamed(found.link, idType, id)) return refuse(linkNotFound);
        return ok({ data: linkDetail(found, app, urls) });
      },
    }),
  ];
}

function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
