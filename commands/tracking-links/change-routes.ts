import type { EventLog } from "../../infra/event-log/event-log.ts";
import { appRoute, ok, type Reply, type Route, refuse } from "../../infra/http/routing/route.ts";
import { causeOf } from "../metadata.ts";
import { type ChangedLink, changeLink } from "./change-link.ts";
import { linkProblem } from "./link-problem.ts";
import { linkNamingQuery, ogTagBody, routingBody } from "./schemas.ts";

interface ChangeRouteOptions {
  readonly log: EventLog;
}

/** The routes that change what a link shows and where it leads (contract/tracking-links.md). */
export function changeLinkRoutes(options: ChangeRouteOptions): readonly Route[] {
  return [ogTagRoute(options), routingRoute(options)];
}

/** Any fault is 404 (contract/http.md#statuses). */
function ogTagRoute({ log }: ChangeRouteOptions): Route {
  return appRoute({
    method: "patch",
    path: "/v1/tracking-links/:id/og-tag",
    operation: "manage_tracking_links",
    body: ogTagBody,
    query: linkNamingQuery,
    statuses: { json: 404, field: 404 },
    idempotent: true,
    async handle(request) {
      const { app, params, query, body } = request;
      const { title, description, imageUrl } = body;
      const named = { appId: app.appId, idType: query.idType ?? body.idType ?? "id", name: params.id ?? "" };
      const ogTag = { title, description, imageUrl };
      const change = { type: "ChangeOgTag", ...named, ogTag } as const;
      return answer(await changeLink(log, request.commandId, change, causeOf(request)), 404);
    },
  });
}

/** Changes where a link leads (contract/tracking-links.md#changing). */
function routingRoute({ log }: ChangeRouteOptions): Route {
  return appRoute({
    method: "patch",
    path: "/v1/tracking-links/:id/routing",
    operation: "manage_tracking_links",
    body: routingBody,
    query: linkNamingQuery,
    statuses: { field: 422 },
    idempotent: true,
    async handle(request) {
      const { app, params, query, body } = request;
      const { idType: inBody = "id", ...asked } = body;
      const named = { appId: app.appId, idType: query.idType ?? inBody, name: params.id ?? "" };
      const change = { type: "ChangeRouting", ...named, request: asked } as const;
      return answer(await changeLink(log, request.commandId, change, causeOf(request)), 422);
    },
  });
}

function answer(changed: ChangedLink, fieldStatus: 404 | 422): Reply {
  if (changed.outcome === "rejected") return refuse(linkProblem(changed.rejection, fieldStatus));
  return ok({}, { visibleIn: "control", ...(changed.position === null ? {} : { position: changed.position }) });
}
