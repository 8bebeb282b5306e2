import { trackingLinkStream } from "../../domain/streams.ts";
import { resolveLinkId } from "../../domain/tracking-links/link-ids.ts";
import { imageFaults } from "../../domain/tracking-links/link-request.ts";
import { routingFaults } from "../../domain/tracking-links/routing.ts";
import { storesOf } from "../../domain/tracking-links/stores.ts";
import { type ArchiveOrRestore, type LinkChange, trackingLink } from "../../domain/tracking-links/tracking-link.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { linkNamingQuery } from "../../infra/http/request/link-id-type.ts";
import { appRoute, ok, type Reply, type Route, refuse } from "../../infra/http/routing/route.ts";
import { sha256 } from "../derived-ids.ts";
import { type CausingRequest, causeOf } from "../event-metadata.ts";
import { handleCommand } from "../handle-command.ts";
import { linkProblem } from "../rejection-statuses.ts";
import {
  archiveLinkDocs,
  changeCampaignParamsDocs,
  changePreviewDocs,
  changeRoutingDocs,
  restoreLinkDocs,
} from "./docs.ts";
import { campaignParamsBody, ogTagBody, routingBody } from "./schemas.ts";

interface ChangeRequest extends CausingRequest {
  readonly commandId: string;
}

/** Changes the preview of a link (contract/tracking-links.md#changing). Any fault is 404 (contract/http.md#statuses). */
export function ogTagRoute(log: EventLog): Route {
  return appRoute({
    method: "patch",
    path: "/v1/tracking-links/:id/og-tag",
    docs: changePreviewDocs,
    operation: "manage_tracking_links",
    body: ogTagBody,
    rules: ({ imageUrl }) => imageFaults(["imageUrl"], imageUrl),
    query: linkNamingQuery,
    statuses: { json: 404, field: 404 },
    idempotent: true,
    async handle(request) {
      const { app, params, query, body } = request;
      const { title, description, imageUrl } = body;
      const named = { appId: app.appId, idType: query.idType ?? body.idType ?? "id", name: params.id ?? "" };
      const ogTag = { title, description, imageUrl };
      const change = { type: "ChangeOgTag", ...named, ogTag } as const;
      return changeLink(log, change, request, 404);
    },
  });
}

/** Changes the destinations of a link (contract/tracking-links.md#changing). */
export function routingRoute(log: EventLog): Route {
  return appRoute({
    method: "patch",
    path: "/v1/tracking-links/:id/routing",
    docs: changeRoutingDocs,
    operation: "manage_tracking_links",
    body: routingBody,
    rules: (body, { app }) => routingFaults(body, storesOf(app)),
    query: linkNamingQuery,
    statuses: { field: 422 },
    idempotent: true,
    async handle(request) {
      const { app, params, query, body } = request;
      const { idType: inBody = "id", ...routing } = body;
      const named = { appId: app.appId, idType: query.idType ?? inBody, name: params.id ?? "" };
      const change = { type: "ChangeRouting", ...named, request: routing, stores: storesOf(app) } as const;
      return changeLink(log, change, request, 422);
    },
  });
}

/** Changes the campaign parameters of a link (contract/tracking-links.md#changing). */
export function campaignParamsRoute(log: EventLog): Route {
  return appRoute({
    method: "patch",
    path: "/v1/tracking-links/:id",
    docs: changeCampaignParamsDocs,
    operation: "manage_tracking_links",
    body: campaignParamsBody,
    query: linkNamingQuery,
    statuses: { field: 422 },
    idempotent: true,
    handle(request) {
      const { app, params, query, body } = request;
      const { idType: inBody = "id", ...campaignParams } = body;
      const named = { appId: app.appId, idType: query.idType ?? inBody, name: params.id ?? "" };
      return changeLink(log, { type: "ChangeCampaignParams", ...named, request: campaignParams }, request, 422);
    },
  });
}

const archiveCommands = {
  archive: { type: "ArchiveTrackingLink", docs: archiveLinkDocs },
  restore: { type: "RestoreTrackingLink", docs: restoreLinkDocs },
} as const;

/** Archives or restores a link; idempotent (contract/tracking-links.md#archiving). */
export function archiveRoute(log: EventLog, verb: keyof typeof archiveCommands): Route {
  const { type, docs } = archiveCommands[verb];
  return appRoute({
    method: "post",
    path: `/v1/tracking-links/:id/${verb}`,
    docs,
    operation: "manage_tracking_links",
    query: linkNamingQuery,
    statuses: { field: 422 },
    idempotent: true,
    handle(request) {
      const { app, params, query } = request;
      const change: ArchiveOrRestore = { type, appId: app.appId, idType: query.idType ?? "id", name: params.id ?? "" };
      return changeLink(log, change, request, 422);
    },
  });
}

/** Changes a link that is identified by any of its three ids. */
async function changeLink(
  log: EventLog,
  change: LinkChange,
  request: ChangeRequest,
  fieldStatus: 404 | 422,
): Promise<Reply> {
  const linkId = resolveLinkId(change.idType, change.name, sha256);
  if (linkId === null) {
    const decided = trackingLink.decide(change, trackingLink.initialState);
    return refuse(linkProblem("rejected" in decided ? decided : { rejected: "TRACKING_LINK_NOT_FOUND" }, fieldStatus));
  }
  const stream = trackingLinkStream(linkId);
  const handled = await handleCommand(log, trackingLink, stream, request.commandId, change, causeOf(request));
  if (handled.outcome === "rejected") return refuse(linkProblem(handled.rejection, fieldStatus));
  return ok({}, { visibleIn: "control", position: handled.position });
}
