import { type Fault, fault, type Path } from "../fault.ts";
import { type CampaignKey, campaignParamsOf } from "../values/campaign-params.ts";
import {
  type Destination,
  type DestinationFault,
  maxDestinationLength,
  readDestination,
  readWebAddress,
} from "./destination.ts";
import type { FallbackOption, FallbackPaths, OgTag, Reengagement, Routing, TrackingLinkCreated } from "./events.ts";
import { appStore, type Platform, platforms, storeKeywords } from "./stores.ts";

type Nullable<Value> = { readonly [Key in keyof Value]?: Value[Key] | null };

/**
 * The request to create a link (contract/tracking-links.md#creating). Types, lengths and the channel's name have been
 * validated.
 */
export interface LinkRequest {
  readonly channel: string;
  readonly campaignParams?: { readonly [key in CampaignKey]?: string };
  readonly isReengagement?: Reengagement;
  readonly deeplinkUrl?: string | null;
  readonly fallbackPaths?:
    | (Nullable<Omit<FallbackPaths, "option">> & { readonly option?: Nullable<FallbackOption> | null })
    | null;
  readonly ogTag?: Nullable<OgTag>;
}

/** The request to change a link's routing (contract/tracking-links.md#changing). */
export interface RoutingRequest extends Pick<LinkRequest, "deeplinkUrl" | "fallbackPaths"> {
  /** Takes precedence over the `option` of `fallbackPaths` (contract/tracking-links.md#changing). */
  readonly option?: Nullable<FallbackOption> | null;
}

/** The request to change a link's campaign parameters (contract/tracking-links.md#changing). */
export interface CampaignParamsRequest {
  /** Null removes all. */
  readonly campaignParams?: { readonly [key in CampaignKey]?: string | null } | null;
}

/** A link without its ids. */
export type LinkAttributes = Routing &
  Pick<TrackingLinkCreated["data"], "channel" | "campaignParams" | "isReengagement" | "ogTag">;

/** `stores`: keywords of the stores that the link's app is in (`storesOf`). */
type Policy = (request: RoutingRequest, stores: readonly string[]) => readonly Fault[];

const deeplinkCanBeOpened: Policy = ({ deeplinkUrl }) =>
  deeplinkUrl == null ? [] : destinationFaults(["deeplinkUrl"], readDestination(deeplinkUrl));

const fallbacksCanBeOpened: Policy = ({ fallbackPaths }, stores) =>
  platforms.flatMap((platform) => pathFaults(platform, fallbackPaths?.[platform], stores));

const routingPolicies: readonly Policy[] = [deeplinkCanBeOpened, fallbacksCanBeOpened];

/** One fault for each invalid destination of a routing (contract/tracking-links.md#destinations). */
export function routingFaults(request: RoutingRequest, stores: readonly string[]): readonly Fault[] {
  return routingPolicies.flatMap((policy) => policy(request, stores));
}

/** The fault of a preview's image (contract/tracking-links.md#destinations). `path`: of the address in the request. */
export function imageFaults(path: Path, imageUrl: string | null): readonly Fault[] {
  return imageUrl === null ? [] : destinationFaults(path, readWebAddress(imageUrl));
}

/** One fault for each invalid destination of a request (contract/tracking-links.md#destinations). */
export function linkFaults(request: LinkRequest, stores: readonly string[]): readonly Fault[] {
  return [...routingFaults(request, stores), ...imageFaults(["ogTag", "imageUrl"], request.ogTag?.imageUrl ?? null)];
}

/** A routing after a change: absent keys keep their value, null clears it (contract/tracking-links.md#changing). */
export function changedRouting(routing: Routing, request: RoutingRequest): Routing {
  const { deeplinkUrl, fallbackPaths, option } = request;
  const { option: optionOfPaths, ...paths } = fallbackPaths ?? {};
  const earlier = fallbackPaths === null ? noRouting.fallbackPaths : routing.fallbackPaths;
  return {
    deeplinkUrl: deeplinkUrl === undefined ? routing.deeplinkUrl : deeplinkUrl,
    fallbackPaths: {
      ...earlier,
      ...paths,
      option: changedOption(changedOption(earlier.option, optionOfPaths), option),
    },
  };
}

function changedOption(earlier: FallbackOption, change: Nullable<FallbackOption> | null | undefined): FallbackOption {
  return change === null ? noRouting.fallbackPaths.option : { ...earlier, ...change };
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

const noRouting: Routing = {
  deeplinkUrl: null,
  fallbackPaths: {
    ios: null,
    android: null,
    desktop: null,
    option: { iosCustomProductPageId: null, androidCustomStoreListing: null },
  },
};

function pathFaults(platform: Platform, path: string | null | undefined, stores: readonly string[]): readonly Fault[] {
  if (path == null) return [];
  if (storeKeywords[platform].includes(path)) {
    const code = path === appStore ? "store_missing.ios" : "store_missing.android";
    return stores.includes(path) ? [] : [fault(code, ["fallbackPaths", platform])];
  }
  const read = readWebAddress(path);
  if (read === "not_absolute") {
    const known = storeKeywords[platform].join(", ");
    return [fault("destination_not_absolute.or_store", ["fallbackPaths", platform], { known })];
  }
  return destinationFaults(["fallbackPaths", platform], read);
}

function destinationFaults(path: Path, read: Destination | DestinationFault): readonly Fault[] {
  if (typeof read !== "string") return [];
  const params = read === "too_long" ? { limit: maxDestinationLength } : undefined;
  return [fault(`destination_${read}`, path, params)];
}
