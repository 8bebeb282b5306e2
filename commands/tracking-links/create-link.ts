import { isChannelName } from "../../domain/channels/channel-name.ts";
import type { ChannelType } from "../../domain/channels/events.ts";
import type { Rejection } from "../../domain/decider.ts";
import type { LogPosition } from "../../domain/event.ts";
import { type Fault, fault } from "../../domain/fault.ts";
import { trackingLinkStream } from "../../domain/streams.ts";
import { drawShortId, linkIds } from "../../domain/tracking-links/link-ids.ts";
import { type LinkRequest, linkFaults } from "../../domain/tracking-links/link-request.ts";
import {
  invalidLink,
  type LiveLink,
  type TrackingLinkRejection,
  trackingLink,
} from "../../domain/tracking-links/tracking-link.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { sha256 } from "../derived-ids.ts";
import { handleCommand, StreamTooBusy } from "../handle-command.ts";
import type { Cause } from "../metadata.ts";

export interface LinkToCreate {
  readonly appId: number;
  readonly channelType: ChannelType;
  readonly request: LinkRequest;
  /** Null: a random one is drawn. */
  readonly customShortId: string | null;
}

export type CreatedLink =
  | { readonly outcome: "created"; readonly link: LiveLink; readonly position: LogPosition | null }
  | { readonly outcome: "rejected"; readonly rejection: Rejection<TrackingLinkRejection> };

/** 31^7 short ids: with a hundred million links taken, one draw in 275 meets one of them. */
const mostDraws = 12;

/**
 * Creates a tracking link (contract/tracking-links.md#creating). One append at *no stream* claims short id, id and
 * template id (contract/tracking-links.md#ids). Random short ids follow from the command id, so that repeating a
 * command creates no second link; one that is taken is drawn anew.
 */
export async function createLink(
  log: EventLog,
  commandId: string,
  link: LinkToCreate,
  cause: Cause,
): Promise<CreatedLink> {
  const faults = [...channelFaults(link.request.channel), ...linkFaults(link.request)];
  if (faults.length > 0) return { outcome: "rejected", rejection: invalidLink(faults) };
  for (let draw = 0; draw < mostDraws; draw += 1) {
    const shortId = link.customShortId ?? drawShortId(sha256(`${commandId}\nshortId\n${draw}`));
    const ids = linkIds(sha256(shortId));
    const { appId, channelType, request } = link;
    const handled = await handleCommand(
      log,
      trackingLink,
      trackingLinkStream(ids.linkId),
      commandId,
      { type: "CreateTrackingLink", ...ids, appId, shortId, channelType, request },
      cause,
      { startsStream: true },
    );
    if (handled.outcome === "handled") {
      if (handled.state.stage === "absent") throw new Error("A link was created and is not there");
      return { outcome: "created", link: handled.state.link, position: handled.position };
    }
    if (link.customShortId !== null || handled.rejection.rejected !== "SHORT_ID_TAKEN") return handled;
  }
  throw new StreamTooBusy(`${mostDraws} random short ids in a row were taken`);
}

/** What is wrong with the name of a channel (contract/administration.md#channels). */
function channelFaults(channel: string): readonly Fault[] {
  return isChannelName(channel) ? [] : [fault("channel_name", ["channel"])];
}
