import type { TrackingLinkEvent } from "../../domain/tracking-links/events.ts";
import { linkNamingQuery } from "../../infra/http/request/link-id-type.ts";
import { appRoute, type Route, refuse } from "../../infra/http/routing/route.ts";
import type { TokenRow } from "../../projections/apps/queries.ts";
import type { LinkChangeRow, LinkHistoryQuery } from "../../projections/audit/queries.ts";
import type { ListPage } from "../../projections/list-page.ts";
import { actorResponse, labelsOf, type TokenLabels } from "../actor-response.ts";
import { listParameters, listReply, pageOf } from "../listing.ts";
import { linkHistoryDocs } from "./docs.ts";
import { findLink, linkNotFound, type TrackingLinkOf } from "./find-link.ts";

export interface LinkHistoryOptions {
  readonly trackingLinkOf: TrackingLinkOf;
  readonly linkHistory: (query: LinkHistoryQuery) => Promise<ListPage<LinkChangeRow>>;
  readonly tokensOf: (appId: number) => Promise<readonly TokenRow[]>;
}

/** `GET /v1/tracking-links/{id}/history`: every change of a link (contract/tracking-links.md#history). */
export function linkHistoryRoute({ trackingLinkOf, linkHistory, tokensOf }: LinkHistoryOptions): Route {
  return appRoute({
    method: "get",
    path: "/v1/tracking-links/:id/history",
    docs: linkHistoryDocs,
    operation: "manage_tracking_links",
    query: { type: "object", properties: { ...linkNamingQuery.properties, ...listParameters } },
    reads: "control",
    async handle({ app: { appId }, params, query }) {
      const found = await findLink(trackingLinkOf, appId, query.idType ?? "id", params.id ?? "");
      if (found === null) return refuse(linkNotFound);
      const history = await linkHistory({ appId, linkId: found.link.linkId, ...pageOf(query) });
      const labels = labelsOf(await tokensOf(appId));
      return listReply("changes", history, (change) => changeResponse(change, labels));
    },
  });
}

const routing = ["deeplinkUrl", "fallbackPaths"];

/** The fields of an event that belong to the link. */
const fieldsOf: { readonly [Type in TrackingLinkEvent["type"]]: readonly string[] } = {
  TrackingLinkCreated: ["channel", "channelType", "campaignParams", "isReengagement", ...routing, "ogTag"],
  OgTagChanged: ["ogTag"],
  RoutingChanged: routing,
  CampaignParamsChanged: ["campaignParams"],
  TrackingLinkArchived: [],
  TrackingLinkRestored: [],
};

/** The fields of a link that a change set, before it (null: it created the link) and after it. */
function changeResponse({ position, type, at, actor, requestId, data, earlier }: LinkChangeRow, labels: TokenLabels) {
  return {
    position: position.toString(),
    time: at.toISOString(),
    type,
    requestId,
    actor: actorResponse(actor, labels),
    before: earlier && { ...fieldsIn(earlier, type), ...archivedBy(type, false) },
    after: { ...fieldsIn(data, type), ...archivedBy(type, true) },
  };
}

function fieldsIn(data: LinkChangeRow["data"], type: string): object {
  const fields = fieldsOf[type as keyof typeof fieldsOf];
  return Object.fromEntries(Object.entries(data).filter(([field]) => fields.includes(field)));
}

function archivedBy(type: string, isAfter: boolean): object {
  if (type === "TrackingLinkArchived") return { isArchived: isAfter };
  return type === "TrackingLinkRestored" ? { isArchived: !isAfter } : {};
}
