import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { linkAddresses } from "../../domain/tracking-links/link-addresses.ts";
import { type Platform, pathInForce } from "../../domain/tracking-links/stores.ts";
import type { CampaignField } from "../../domain/values/campaign-params.ts";
import { zonedTimestamp } from "../../domain/values/local-time.ts";
import { linkNamingQuery } from "../../infra/http/request/link-id-type.ts";
import type { Problem } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import type { PublicUrls } from "../../infra/http/server/serve-by-host.ts";
import type { TrackingLinkRow } from "../../projections/tracking-links/queries.ts";
import { linkDocs } from "./docs.ts";
import { findLink, linkNamingBody, type TrackingLinkOf } from "./find-link.ts";

interface LinkDetailOptions extends PublicUrls {
  readonly trackingLinkOf: TrackingLinkOf;
}

/** The detail responds with 400 where other routes respond with 404. */
const linkNotFound: Problem = { status: 400, code: "TRACKING_LINK_NOT_FOUND" };

/** `GET /v1/tracking-links/{id}` (contract/tracking-links.md#detail). */
export function linkDetailRoute({ trackingLinkOf, baseUrl, linkBaseUrl }: LinkDetailOptions): Route {
  return appRoute({
    method: "get",
    path: "/v1/tracking-links/:id",
    docs: linkDocs,
    operation: "manage_tracking_links",
    body: linkNamingBody,
    query: linkNamingQuery,
    reads: "control",
    async handle({ app, params, query, body }) {
      const { id = "" } = params;
      const idType = query.idType ?? body.idType ?? "id";
      const found = await findLink(trackingLinkOf, app.appId, idType, id);
      if (found === null) return refuse(linkNotFound);
      return ok({ data: linkDetail(found, app, { baseUrl, linkBaseUrl }) });
    },
  });
}

/** Campaign parameters of the detail (contract/tracking-links.md#detail), in order. */
const detailFields = [
  "term",
  "subId",
  "subId1",
  "subId2",
  "subId3",
  "adGroup",
  "content",
  "campaign",
  "adCreative",
] as const satisfies readonly CampaignField[];

/**
 * `data` of the detail. Fallbacks default to the app's (contract/tracking-links.md#destinations), on desktops finally to
 * the plain page.
 */
export function linkDetail(
  { link, createdAt, archivedAt }: TrackingLinkRow,
  app: RegisteredApp,
  urls: PublicUrls,
): object {
  const { click, impression, serverToServerClick, shortUrl } = linkAddresses(urls.linkBaseUrl, {
    ...link,
    appName: app.name,
  });
  const { option } = link.fallbackPaths;
  const fallbackOn = (platform: Platform): string =>
    pathInForce(platform, link.fallbackPaths, app) ?? `${urls.baseUrl}/open`;
  const { title, imageUrl, description } = link.ogTag;
  return {
    link: { click, impression, serverToServerClick },
    email: app.ownerEmail,
    company: app.companyName,
    ogTag: { title, imageUrl, description },
    shortId: link.shortId,
    shortUrl,
    createdAt: zonedTimestamp(app.timezone, createdAt.getTime()),
    archivedAt: archivedAt && zonedTimestamp(app.timezone, archivedAt.getTime()),
    channelName: link.channel,
    channelType: link.channelType,
    deeplinkUrl: link.deeplinkUrl,
    fallbackPaths: {
      ios: fallbackOn("ios"),
      android: fallbackOn("android"),
      desktop: fallbackOn("desktop"),
      option,
    },
    campaignParams: Object.fromEntries(detailFields.map((field) => [field, link.campaignParams[field] ?? null])),
    isReengagement: link.isReengagement === "ON-TRUE",
  };
}
