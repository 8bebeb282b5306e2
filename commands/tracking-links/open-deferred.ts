import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { LogPosition } from "../../domain/event.ts";
import { deferredLinkStream } from "../../domain/streams.ts";
import { deferredLink } from "../../domain/tracking-links/deferred-link.ts";
import { uuidOf } from "../../domain/values/uuid.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { type Problem, problems } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import { handleCommand } from "../handle-command.ts";
import { causeOf } from "../metadata.ts";
import { openDeferredDocs } from "./docs.ts";
import { openDeferredBody } from "./schemas.ts";

/** How a target event was attributed, as far as masking does not withhold it. */
export type AttributedEvent =
  | "unknown"
  | "undecided"
  | {
      readonly category: string;
      /** ISO 8601. */
      readonly at: string;
      /** Position of the click that won; null: no click did, or it is withheld. */
      readonly click: LogPosition | null;
    };

export interface OpenDeferredDeps {
  readonly log: EventLog;
  attributedEvent(app: Pick<RegisteredApp, "appId" | "timezone">, eventId: string): Promise<AttributedEvent>;
  /** Address of the plain page. */
  readonly openPageUrl: string;
}

const attributionNotFound: Problem = { status: 404, code: "ATTRIBUTION_NOT_FOUND" };
const none = { destination: null, clickId: null, trackingLinkId: null };

/**
 * `POST /v1/tracking-links/open`: the destination of the click that won a fresh install, returned once
 * (contract/tracking-links.md#deferred-deep-links). 404 for an unknown event, 503 while it waits for its decision.
 */
export function openDeferredRoute({ log, attributedEvent, openPageUrl }: OpenDeferredDeps): Route {
  return appRoute({
    method: "post",
    path: "/v1/tracking-links/open",
    docs: openDeferredDocs,
    operation: "open_deferred_link",
    limit: "ingest",
    idempotent: true,
    reads: "facts",
    body: openDeferredBody,
    handle: async (request) => {
      const { app, body, commandId, receivedAt } = request;
      const eventId = uuidOf(body.eventId);
      const event = eventId === null ? "unknown" : await attributedEvent(app, eventId);
      if (eventId === null || event === "unknown") return refuse(attributionNotFound);
      if (event === "undecided") return refuse(problems.readModelBehind);
      const won = event.click === null ? null : await log.eventAt(event.click);
      const command = {
        ...({ type: "OpenDeferredLink", appId: app.appId, eventId, openPageUrl, now: receivedAt } as const),
        ...{ category: event.category, at: event.at, click: won?.type === "ClickRecorded" ? won.data : null },
      };
      const stream = deferredLinkStream(app.appId, eventId);
      const handled = await handleCommand(log, deferredLink, stream, commandId, command, causeOf(request));
      if (handled.outcome === "rejected" || handled.state.stage === "unopened") return ok({ data: none });
      const { destination, touchpointId: clickId, trackingLinkId } = handled.state.link;
      return ok({ data: { destination, clickId, trackingLinkId } }, { position: handled.position });
    },
  });
}
