import type { ChannelType } from "../channels/events.ts";
import { assertNever, type Decider } from "../decider.ts";
import type { TrackingLinkCreated, TrackingLinkEvent } from "./events.ts";
import type { LinkIds } from "./link-ids.ts";
import { type LinkRequest, linkFaults, linkTerms } from "./link-request.ts";

/** Claims a short id, and with it the link id and template id that follow from it, for a new link (A, D4.2). */
export interface CreateTrackingLink extends LinkIds {
  readonly type: "CreateTrackingLink";
  readonly appId: number;
  readonly shortId: string;
  readonly channelType: ChannelType;
  readonly request: LinkRequest;
}

export type TrackingLinkCommand = CreateTrackingLink;
export type TrackingLinkRejection = "LINK_INVALID" | "SHORT_ID_TAKEN";

/** A link as it is now. */
export type LiveLink = TrackingLinkCreated["data"];
export type TrackingLinkState = { readonly stage: "absent" } | { readonly stage: "live"; readonly link: LiveLink };

export const trackingLink: Decider<TrackingLinkCommand, TrackingLinkEvent, TrackingLinkState, TrackingLinkRejection> = {
  initialState: { stage: "absent" },

  decide(command, state) {
    const [fault] = linkFaults(command.request);
    if (fault !== undefined) return { rejected: "LINK_INVALID", field: ["body", ...fault.field], detail: fault.msg };
    if (state.stage === "live") {
      return { rejected: "SHORT_ID_TAKEN", field: ["body", "customShortId"] };
    }
    const { linkId, appId, shortId, templateId, channelType } = command;
    return [
      {
        type: "TrackingLinkCreated",
        data: { linkId, appId, shortId, templateId, channelType, ...linkTerms(command.request) },
      },
    ];
  },

  evolve(state, event) {
    switch (event.type) {
      case "TrackingLinkCreated":
        return { stage: "live", link: event.data };
      case "OgTagChanged":
        return state.stage === "absent" ? state : { ...state, link: { ...state.link, ogTag: event.data.ogTag } };
      case "RoutingChanged": {
        const { deeplinkUrl, fallbackPaths } = event.data;
        return state.stage === "absent" ? state : { ...state, link: { ...state.link, deeplinkUrl, fallbackPaths } };
      }
    }
    return assertNever(event);
  },
};
