import type { Fault, Path } from "../fault.ts";
import { type CampaignKey, campaignParamsOf } from "../values/campaign-params.ts";
import { destinationFaults, readWebAddress } from "./destination.ts";
import type { OgTag, Reengagement, Routing, TrackingLinkCreated } from "./events.ts";
import { changedRouting, noRouting, type RoutingRequest, routingFaults } from "./routing.ts";

/**
 * The request to create a link (contract/tracking-links.md#creating). Types, lengths and the channel's name have been
 * validated.
 */
export interface LinkRequest extends Pick<RoutingRequest, "deeplinkUrl" | "fallbackPaths"> {
  readonly channel: string;
  readonly campaignParams?: { readonly [key in CampaignKey]?: string };
  readonly isReengagement?: Reengagement;
  readonly ogTag?: { readonly [key in keyof OgTag]?: OgTag[key] | null };
}

/** The request to change a link's campaign parameters (contract/tracking-links.md#changing). */
export interface CampaignParamsRequest {
  /** Null removes all. */
  readonly campaignParams?: { readonly [key in CampaignKey]?: string | null } | null;
}

/** A link without its ids. */
export type LinkAttributes = Routing &
  Pick<TrackingLinkCreated["data"], "channel" | "campaignParams" | "isReengagement" | "ogTag">;

/** The fault of a preview's image (contract/tracking-links.md#destinations). `path`: of the address in the request. */
export function imageFaults(path: Path, imageUrl: string | null): readonly Fault[] {
  return imageUrl === null ? [] : destinationFaults(path, readWebAddress(imageUrl));
}

/** One fault for each invalid destination of a request (contract/tracking-links.md#destinations). */
export function linkFaults(request: LinkRequest, stores: readonly string[]): readonly Fault[] {
  return [...routingFaults(request, stores), ...imageFaults(["ogTag", "imageUrl"], request.ogTag?.imageUrl ?? null)];
}

/** The link that a valid request describes, with defaults for absent fields (contract/tracking-links.md#creating). */
export function linkAttributes(request: LinkRequest): LinkAttributes {
  return {
    channel: request.channel,
    campaignParams: campaignParamsOf(request.campaignParams ?? {}),
    isReengagement: request.isReengagement ?? "OFF",
    ...changedRouting(noRouting, request),
    ogTag: { title: null, description: null, imageUrl: null, ...request.ogTag },
  };
}
