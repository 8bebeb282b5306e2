import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import { causeOf } from "../metadata.ts";
import { bulkLinkRoute } from "./bulk.ts";
import { changeLinkRoutes } from "./change-routes.ts";
import { type LinkCreator, type LinkCreatorOptions, linkCreator } from "./link-creator.ts";
import { createLinkBody } from "./schemas.ts";

/** The routes that write tracking links (contract/tracking-links.md). */
export function trackingLinkRoutes(options: LinkCreatorOptions): readonly Route[] {
  const create = linkCreator(options);
  return [createLinkRoute(create), bulkLinkRoute(create), ...changeLinkRoutes(options)];
}

function createLinkRoute(create: LinkCreator): Route {
  return appRoute({
    method: "post",
    path: "/v1/tracking-links",
    operation: "create_tracking_link",
    limit: "link-creation",
    body: createLinkBody,
    statuses: { field: 422, unknownToken: 404 },
    idempotent: true,
    async handle(request) {
      const { app, body, commandId } = request;
      const created = await create(app, commandId, body, causeOf(request));
      if (created.outcome === "refused") return refuse(created.problem);
      const { trackingLink, position } = created;
      return ok({ data: { trackingLink } }, { visibleIn: "control", ...(position === null ? {} : { position }) });
    },
  });
}
