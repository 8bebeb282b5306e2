import type { ChannelType } from "../channels/events.ts";
import { assertNever, type Decider, type Rejection, rejectField } from "../decider.ts";
import { type Fault, faultsAt } from "../fault.ts";
import { changedCampaignParams } from "../values/campaign-params.ts";
import type { OgTag, TrackingLinkCreated, TrackingLinkEvent } from "./events.ts";
import { hasIdentifier, type LinkIds, type LinkIdType } from "./link-ids.ts";
import {
  type CampaignParamsRequest,
  imageFaults,
  type LinkRequest,
  linkAttributes,
  linkFaults,
} from "./link-request.ts";
import { changedRouting, type RoutingRequest, routingFaults } from "./routing.ts";

/** Claims a short id, and the link id and template id derived from it (contract/tracking-links.md#ids). */
export interface CreateTrackingLink extends LinkIds {
  readonly type: "CreateTrackingLink";
  readonly appId: number;
  readonly shortId: string;
  readonly channelType: ChannelType;
  readonly request: LinkRequest;
  /** Keywords of the stores that the app is in. */
  readonly stores: readonly string[];
}

/** The link that a command names, and the app that must own it. */
export interface LinkReference {
  readonly appId: number;
  readonly idType: LinkIdType;
  /** The value of the identifier, as sent. */
  readonly name: string;
}

/** Sets the preview that is shown when a link is shared (contract/tracking-links.md#changing). */
export interface ChangeOgTag extends LinkReference {
  readonly type: "ChangeOgTag";
  readonly ogTag: OgTag;
}

/** Changes where a link leads (contract/tracking-links.md#changing). */
export interface ChangeRouting extends LinkReference {
  readonly type: "ChangeRouting";
  readonly request: RoutingRequest;
  /** Keywords of the stores that the app is in. */
  readonly stores: readonly string[];
}

/** Changes the campaign parameters of future touchpoints (contract/tracking-links.md#changing). */
export interface ChangeCampaignParams extends LinkReference {
  readonly type: "ChangeCampaignParams";
  readonly request: CampaignParamsRequest;
}

/** Removes a link from lists, or restores it to them (contract/tracking-links.md#archiving). */
export interface ArchiveOrRestore extends LinkReference {
  readonly type: "ArchiveTrackingLink" | "RestoreTrackingLink";
}

/** A change of an existing link. */
export type LinkChange = ChangeOgTag | ChangeRouting | ChangeCampaignParams | ArchiveOrRestore;
export type TrackingLinkCommand = CreateTrackingLink | LinkChange;

/** The current state of a link. */
export type LiveLink = TrackingLinkCreated["data"];
export type TrackingLinkState =
  | { readonly stage: "absent" }
  | { readonly stage: "live"; readonly link: LiveLink; readonly isArchived: boolean };

export type TrackingLinkRejection = "LINK_INVALID" | "SHORT_ID_TAKEN" | "TRACKING_LINK_NOT_FOUND";

type Decision = readonly TrackingLinkEvent[] | Rejection<TrackingLinkRejection>;

function decide(command: TrackingLinkCommand, state: TrackingLinkState): Decision {
  if (command.type === "CreateTrackingLink") return create(command, state);
  const faults = faultsOf(command);
  if (faults.length > 0) return invalidLink(faults);
  if (state.stage === "absent" || !isReferenced(state.link, command)) return { rejected: "TRACKING_LINK_NOT_FOUND" };
  switch (command.type) {
    case "ChangeOgTag":
      return changeOgTag(command, state.link);
    case "ChangeRouting":
      return changeRouting(command, state.link);
    case "ChangeCampaignParams":
      return changeCampaignParams(command, state.link);
    case "ArchiveTrackingLink":
      return state.isArchived ? [] : [{ type: "TrackingLinkArchived", data: { linkId: state.link.linkId } }];
    case "RestoreTrackingLink":
      return state.isArchived ? [{ type: "TrackingLinkRestored", data: { linkId: state.link.linkId } }] : [];
    default:
      return assertNever(command);
  }
}

function create(command: CreateTrackingLink, state: TrackingLinkState): Decision {
  const faults = linkFaults(command.request, command.stores);
  if (faults.length > 0) return invalidLink(faults);
  if (state.stage === "live") return rejectField("SHORT_ID_TAKEN", ["body", "customShortId"]);
  const { linkId, appId, shortId, templateId, channelType, request } = command;
  const data = { linkId, appId, shortId, templateId, channelType, ...linkAttributes(request) };
  return [{ type: "TrackingLinkCreated", data }];
}

function changeOgTag({ ogTag }: ChangeOgTag, link: LiveLink): Decision {
  if (isSame(ogTag, link.ogTag)) return [];
  return [{ type: "OgTagChanged", data: { linkId: link.linkId, ogTag } }];
}

function changeRouting({ request }: ChangeRouting, link: LiveLink): Decision {
  const { deeplinkUrl, fallbackPaths } = changedRouting(link, request);
  const { option, ...paths } = fallbackPaths;
  const isUnchanged =
    deeplinkUrl === link.deeplinkUrl && isSame(paths, link.fallbackPaths) && isSame(option, link.fallbackPaths.option);
  return isUnchanged ? [] : [{ type: "RoutingChanged", data: { linkId: link.linkId, deeplinkUrl, fallbackPaths } }];
}

function changeCampaignParams({ request }: ChangeCampaignParams, link: LiveLink): Decision {
  const { campaignParams: changes = {} } = request;
  const campaignParams = changes === null ? {} : changedCampaignParams(link.campaignParams, changes);
  const isUnchanged = isSame(campaignParams, link.campaignParams) && isSame(link.campaignParams, campaignParams);
  return isUnchanged ? [] : [{ type: "CampaignParamsChanged", data: { linkId: link.linkId, campaignParams } }];
}

function evolve(state: TrackingLinkState, event: TrackingLinkEvent): TrackingLinkState {
  switch (event.type) {
    case "TrackingLinkCreated":
      return { stage: "live", link: event.data, isArchived: false };
    case "OgTagChanged":
      return state.stage === "absent" ? state : { ...state, link: { ...state.link, ogTag: event.data.ogTag } };
    case "RoutingChanged": {
      const { deeplinkUrl, fallbackPaths } = event.data;
      return state.stage === "absent" ? state : { ...state, link: { ...state.link, deeplinkUrl, fallbackPaths } };
    }
    case "CampaignParamsChanged": {
      const { campaignParams } = event.data;
      return state.stage === "absent" ? state : { ...state, link: { ...state.link, campaignParams } };
    }
    case "TrackingLinkArchived":
      return state.stage === "absent" ? state : { ...state, isArchived: true };
    case "TrackingLinkRestored":
      return state.stage === "absent" ? state : { ...state, isArchived: false };
    default:
      return assertNever(event);
  }
}

/** What is wrong with a change of any link. */
function faultsOf(command: LinkChange): readonly Fault[] {
  if (command.type === "ChangeOgTag") return imageFaults(["imageUrl"], command.ogTag.imageUrl);
  return command.type === "ChangeRouting" ? routingFaults(command.request, command.stores) : [];
}

/** False for another app's link. */
function isReferenced(link: LiveLink, { appId, idType, name }: LinkReference): boolean {
  return link.appId === appId && hasIdentifier(link, idType, name);
}

/** Whether `current` has every field of `requested` with the same value. */
function isSame<Value extends object>(requested: Value, current: Value): boolean {
  return (Object.keys(requested) as (keyof Value)[]).every((key) => requested[key] === current[key]);
}

/** The rejection of a link with faults, whose paths start at the body. */
export function invalidLink(faults: readonly Fault[]): Rejection<TrackingLinkRejection> {
  return { rejected: "LINK_INVALID", faults: faultsAt(["body"], faults) };
}

/** One link: its short id is claimed once, and it is archived, never deleted (contract/tracking-links.md). */
export const trackingLink: Decider<TrackingLinkCommand, TrackingLinkEvent, TrackingLinkState, TrackingLinkRejection> = {
  initialState: { stage: "absent" },
  decide,
  evolve,
};
