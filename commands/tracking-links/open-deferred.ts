import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { AttributionEvent } from "../../domain/attribution/events.ts";
import { isRejection } from "../../domain/decider.ts";
import type { LogPosition } from "../../domain/event.ts";
import { deferredLinkStream } from "../../domain/streams.ts";
import { deferredLink, type OpenDeferredLink } from "../../domain/tracking-links/deferred-link.ts";
import { uuidOf } from "../../domain/values/uuid.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { type Problem, problems } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import { causeOf } from "../event-metadata.ts";
import { handleCommand } from "../handle-command.ts";
import { readState } from "../state-cache.ts";
import { openDeferredDocs } from "./docs.ts";
import { openDeferredBody } from "./schemas.ts";

type Decision = AttributionEvent["data"];

export interface OpenDeferredDeps {
  readonly log: EventLog;
  /** The decision in force on a target event. */
  decisionInForce(appId: number, eventId: string): Promise<Decision | "unknown" | "undecided">;
  /** Position of the touchpoint that won; null: none did, or masking withholds it. */
  shownWinner(app: Pick<RegisteredApp, "appId" | "timezone">, decision: Decision): Promise<LogPosition | null>;
  /** Address of the plain page. */
  readonly openPageUrl: string;
}

const attributionNotFound: Problem = { status: 404, code: "ATTRIBUTION_NOT_FOUND" };
const none = { destination: null, clickId: null, trackingLinkId: null };

/**
 * `POST /v1/tracking-links/open`: the destination of the click that won a fresh install, returned once
 * (contract/tracking-links.md#deferred-deep-links). 404 for an unknown event, 503 while it waits for its decision.
 */
export function openDeferredRoute(deps: OpenDeferredDeps): Route {
  const { log, openPageUrl } = deps;
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
      if (eventId === null) return refuse(attributionNotFound);
      const stream = deferredLinkStream(app.appId, eventId);
      const { state } = await readState(log, deferredLink, stream);
      const decision = state.stage === "opened" ? null : await deps.decisionInForce(app.appId, eventId);
      if (decision === "unknown") return refuse(attributionNotFound);
      if (decision === "undecided") return refuse(problems.readModelBehind);
      // Opened already: a retry of the command that opened it gets the link again, for which the decider needs no event.
      const { category, at } = decision ?? { category: "app_install", at: receivedAt };
      const storePages = [app.iosStoreUrl, app.androidStoreUrl].filter((page) => page !== null);
      const command: OpenDeferredLink = {
        ...({ type: "OpenDeferredLink", appId: app.appId, eventId, now: receivedAt } as const),
        ...{ category, at, click: null, pagesOutside: [openPageUrl, ...storePages] },
      };
      const lacksClick = decision !== null && lacksDestination(deferredLink.decide(command, state));
      const click = lacksClick ? await clickAt(log, await deps.shownWinner(app, decision)) : null;
      const opened = { ...command, click };
      const handled = await handleCommand(log, deferredLink, stream, commandId, opened, causeOf(request));
      if (handled.outcome === "rejected" || handled.state.stage === "unopened") return ok({ data: none });
      const { destination, touchpointId: clickId, trackingLinkId } = handled.state.link;
      return ok({ data: { destination, clickId, trackingLinkId } }, { position: handled.position });
    },
  });
}

/** Whether a decision without the click was rejected for that alone: the event is a fresh install. */
function lacksDestination(decided: ReturnType<typeof deferredLink.decide>): boolean {
  return isRejection(decided) && decided.rejected === "NO_DESTINATION";
}

/** The click at a position of the log; null for another event. */
async function clickAt(log: EventLog, position: LogPosition | null): Promise<OpenDeferredLink["click"]> {
  const won = position === null ? null : await log.eventAt(position);
  return won?.type === "ClickRecorded" ? won.data : null;
}
