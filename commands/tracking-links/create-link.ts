import type { FromSchema } from "json-schema-to-ts";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { isChannelName } from "../../domain/channels/channel-name.ts";
import type { ChannelProfile, ChannelType } from "../../domain/channels/events.ts";
import type { Rejection } from "../../domain/decider.ts";
import type { LogPosition } from "../../domain/event.ts";
import { type Fault, fault } from "../../domain/fault.ts";
import { trackingLinkStream } from "../../domain/streams.ts";
import { linkAddresses } from "../../domain/tracking-links/link-addresses.ts";
import { drawShortId, linkIds } from "../../domain/tracking-links/link-ids.ts";
import { type LinkRequest, linkFaults } from "../../domain/tracking-links/link-request.ts";
import { storesOf } from "../../domain/tracking-links/stores.ts";
import {
  invalidLink,
  type LiveLink,
  type TrackingLinkRejection,
  trackingLink,
} from "../../domain/tracking-links/tracking-link.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import type { Problem } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import { sha256 } from "../derived-ids.ts";
import { type Cause, causeOf } from "../event-metadata.ts";
import { handleCommand, StreamTooBusy } from "../handle-command.ts";
import { linkProblem } from "../rejection-statuses.ts";
import { createLinkDocs } from "./docs.ts";
import { createLinkBody } from "./schemas.ts";

/** `POST /v1/tracking-links` (contract/tracking-links.md#creating). */
export function createLinkRoute(create: LinkCreator, linkBaseUrl: string): Route {
  return appRoute({
    method: "post",
    path: "/v1/tracking-links",
    docs: createLinkDocs,
    operation: "create_tracking_link",
    limit: "link-creation",
    body: createLinkBody,
    rules: (body, { app }) => requestFaults(body, storesOf(app)),
    statuses: { field: 422, unknownToken: 404 },
    idempotent: true,
    async handle(request) {
      const { app, body, commandId } = request;
      const created = await create(app, commandId, body, causeOf(request));
      if (created.outcome === "refused") return refuse(created.problem);
      const trackingLink = createdLinkResponse(created.link, app.name, linkBaseUrl);
      return ok({ data: { trackingLink } }, { visibleIn: "control", position: created.position });
    },
  });
}

export interface LinkCreatorOptions {
  readonly log: EventLog;
  /** The profile of a channel; that of a custom one for an unregistered name (contract/administration.md#channels). */
  readonly channelProfile: (name: string) => Promise<ChannelProfile>;
  /** Called with every link created here, before the response. */
  readonly onLinkCreated: (linkId: number) => void;
}

export type LinkCreation =
  | { readonly outcome: "created"; readonly link: LiveLink; readonly position: LogPosition | null }
  | { readonly outcome: "refused"; readonly problem: Problem };

/** Creates the link that a request body describes (contract/tracking-links.md#creating). */
export type LinkCreator = (
  app: RegisteredApp,
  commandId: string,
  body: FromSchema<typeof createLinkBody>,
  cause: Cause,
) => Promise<LinkCreation>;

/** A creator that finds the type of the channel, and announces the links that it creates. */
export function linkCreator({ log, channelProfile, onLinkCreated }: LinkCreatorOptions): LinkCreator {
  return async (app, commandId, body, cause) => {
    const { customShortId = null, ...request } = body;
    const { type: channelType } = await channelProfile(request.channel);
    const link = { appId: app.appId, stores: storesOf(app), channelType, request, customShortId };
    const created = await createLink(log, commandId, link, cause);
    if (created.outcome === "created") onLinkCreated(created.link.linkId);
    return created;
  };
}

/** The created link as the response shows it, with both spellings of the short URL (contract/tracking-links.md#addresses). */
export function createdLinkResponse(link: LiveLink, appName: string, linkBaseUrl: string): unknown {
  const { click, impression, serverToServerClick, shortUrl } = linkAddresses(linkBaseUrl, { ...link, appName });
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

export interface LinkToCreate {
  readonly appId: number;
  /** Keywords of the stores that the app is in. */
  readonly stores: readonly string[];
  readonly channelType: ChannelType;
  readonly request: LinkRequest;
  /** Null: a random one is drawn. */
  readonly customShortId: string | null;
}

/** There are 31^7 short ids: with a hundred million of them taken, one draw in 275 collides. */
const maxDraws = 12;

/**
 * Creates a tracking link (contract/tracking-links.md#creating). One append at *no stream* claims short id, id and
 * template id (contract/tracking-links.md#ids). Random short ids are derived from the command id, so that retrying a
 * command creates no second link; one that is taken is replaced by the next draw.
 */
export async function createLink(
  log: EventLog,
  commandId: string,
  link: LinkToCreate,
  cause: Cause,
): Promise<LinkCreation> {
  const faults = requestFaults(link.request, link.stores);
  if (faults.length > 0) return refused(invalidLink(faults));
  for (let draw = 0; draw < maxDraws; draw += 1) {
    const shortId = link.customShortId ?? drawShortId(sha256(`${commandId}\nshortId\n${draw}`));
    const ids = linkIds(sha256(shortId));
    const { appId, stores, channelType, request } = link;
    const handled = await handleCommand(
      log,
      trackingLink,
      trackingLinkStream(ids.linkId),
      commandId,
      { type: "CreateTrackingLink", ...ids, appId, shortId, channelType, request, stores },
      cause,
      { startsStream: true },
    );
    if (handled.outcome === "handled") {
      if (handled.state.stage === "absent") throw new Error("A created link has no state");
      return { outcome: "created", link: handled.state.link, position: handled.position };
    }
    if (link.customShortId !== null || handled.rejection.rejected !== "SHORT_ID_TAKEN")
      return refused(handled.rejection);
  }
  throw new StreamTooBusy(`${maxDraws} random short ids in a row were taken`);
}

function refused(rejection: Rejection<TrackingLinkRejection>): LinkCreation {
  return { outcome: "refused", problem: linkProblem(rejection, 422) };
}

/** The faults that the schema of a link cannot find. `stores`: keywords of the stores that the app is in. */
export function requestFaults(request: LinkRequest, stores: readonly string[]): readonly Fault[] {
  return [...channelFaults(request.channel), ...linkFaults(request, stores)];
}

/** Faults of the name of a channel (contract/administration.md#channels). */
function channelFaults(channel: string): readonly Fault[] {
  return isChannelName(channel) ? [] : [fault("channel_name", ["channel"])];
}
