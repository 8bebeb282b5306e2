import type { ChannelType } from "../../domain/channels/events.ts";
import { linkUrls } from "../../domain/tracking-links/link-urls.ts";
import type { LiveLink } from "../../domain/tracking-links/tracking-link.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { problems } from "../../infra/http/problem.ts";
import { ok, type Route, refuse, route } from "../../infra/http/route.ts";
import { causeOf } from "../metadata.ts";
import { refuseWith } from "../problems.ts";
import { changeLinkRoutes } from "./change-routes.ts";
import { createLink } from "./create-link.ts";
import { linkInvalid } from "./link-invalid.ts";
import { createLinkBody } from "./schemas.ts";

export interface TrackingLinkRouteOptions {
  readonly log: EventLog;
  /** A channel by its name; null when nobody has registered it, which makes it a custom one (D3.3). */
  readonly channelProfile: (
    name: string,
  ) => { readonly type: ChannelType } | null | Promise<{ readonly type: ChannelType } | null>;
  readonly linkBaseUrl: string;
  /** Told of every link created here, before its creator is. */
  readonly onLinkCreated: (linkId: number) => void;
}

/** The routes that write tracking links (A: Tracking links). */
export function trackingLinkRoutes(options: TrackingLinkRouteOptions): readonly Route[] {
  return [createLinkRoute(options), ...changeLinkRoutes(options)];
}

function createLinkRoute({ log, channelProfile, linkBaseUrl, onLinkCreated }: TrackingLinkRouteOptions): Route {
  return route({
    method: "post",
    path: "/v1/tracking-links",
    operation: "create_tracking_link",
    limit: "link-creation",
    body: createLinkBody,
    statuses: { field: 422, unknownToken: 404 },
    async handle(request) {
      const { app, body } = request;
      if (app === null) return refuse(problems.appNotFound);
      const { customShortId = null, ...asked } = body;
      const profile = await channelProfile(asked.channel);
      const link = { appId: app.appId, channelType: profile?.type ?? "custom", request: asked, customShortId };
      const created = await createLink(log, request.requestId, link, causeOf(request));
      if (created.outcome === "invalid") return refuse(linkInvalid(created.faults, 422));
      if (created.outcome === "rejected") return refuseWith(created.rejection);
      onLinkCreated(created.link.linkId);
      const answer = { data: { trackingLink: createdLink(created.link, app.name, linkBaseUrl) } };
      const position = created.position === null ? {} : { position: created.position };
      return ok(answer, { visibleIn: "control", ...position });
    },
  });
}

/** A: create response. Both spellings of the short URL are answered (D4.3). */
function createdLink(link: LiveLink, appName: string, linkBaseUrl: string): unknown {
  const { click, impression, serverToServerClick, shortUrl } = linkUrls(linkBaseUrl, { ...link, appName });
  return {
    id: link.linkId,
    channelType: link.channelType,
    link: { click, impression, serverToServerClick },
    shortId: link.shortId,
    shortURL: shortUrl,
    shortUrl,
    trackingTemplateID: link.templateId,
  };
}
