import { type Fault, fault, type Path } from "../fault.ts";
import { type CampaignKey, campaignParamsOf } from "../values/campaign-params.ts";
import {
  type Destination,
  type DestinationFault,
  maxDestinationLength,
  readDestination,
  readWebAddress,
} from "./destination.ts";
import type { FallbackPaths, OgTag, Reengagement, Routing, TrackingLinkCreated } from "./events.ts";
import { appStoreWord, googlePlayWord } from "./stores.ts";

type Nullable<Value> = { readonly [Key in keyof Value]?: Value[Key] | null };

/**
 * A link as somebody asks for it (contract/tracking-links.md#creating). Types, lengths and the channel's name have been
 * checked.
 */
export interface LinkRequest {
  readonly channel: string;
  readonly campaignParams?: { readonly [key in CampaignKey]?: string };
  readonly isReengagement?: Reengagement;
  readonly deeplinkUrl?: string | null;
  readonly fallbackPaths?: Nullable<Omit<FallbackPaths, "option">> & {
    readonly option?: Nullable<FallbackPaths["option"]>;
  };
  readonly ogTag?: Nullable<OgTag>;
}

/** A change of a link's routing as somebody asks for it (contract/tracking-links.md#changing). */
export interface RoutingRequest extends Pick<LinkRequest, "deeplinkUrl" | "fallbackPaths"> {
  /** Counts before the `option` of `fallbackPaths` (contract/tracking-links.md#changing). */
  readonly option?: Nullable<FallbackPaths["option"]>;
}

/** What a link is made of, apart from its names. */
export type LinkAttributes = Routing &
  Pick<TrackingLinkCreated["data"], "channel" | "campaignParams" | "isReengagement" | "ogTag">;

type Policy = (request: RoutingRequest) => readonly Fault[];

const deeplinkCanBeOpened: Policy = ({ deeplinkUrl }) =>
  deeplinkUrl == null ? [] : destinationFaults(["deeplinkUrl"], readDestination(deeplinkUrl));

const fallbacksCanBeOpened: Policy = ({ fallbackPaths = {} }) => [
  ...pathFaults("ios", fallbackPaths.ios, [appStoreWord]),
  ...pathFaults("android", fallbackPaths.android, [googlePlayWord]),
  ...pathFaults("desktop", fallbackPaths.desktop, [googlePlayWord, appStoreWord]),
];

const routingPolicies: readonly Policy[] = [deeplinkCanBeOpened, fallbacksCanBeOpened];

/** Every destination of a routing that no link may have (contract/tracking-links.md#destinations). */
export function routingFaults(request: RoutingRequest): readonly Fault[] {
  return routingPolicies.flatMap((policy) => policy(request));
}

/**
 * What keeps an address from being a preview's image (contract/tracking-links.md#destinations). `path`: of the
 * address in the request.
 */
export function imageFaults(path: Path, imageUrl: string | null): readonly Fault[] {
  return imageUrl === null ? [] : destinationFaults(path, readWebAddress(imageUrl));
}

/** Every destination of a request that no link may have (contract/tracking-links.md#destinations). */
export function linkFaults(request: LinkRequest): readonly Fault[] {
  return [...routingFaults(request), ...imageFaults(["ogTag", "imageUrl"], request.ogTag?.imageUrl ?? null)];
}

/** A routing with what was asked for: absent keys stay, null clears (contract/tracking-links.md#changing). */
export function changedRouting(routing: Routing, request: RoutingRequest): Routing {
  const { option: ofPaths, ...paths } = request.fallbackPaths ?? {};
  const { fallbackPaths } = routing;
  return {
    deeplinkUrl: request.deeplinkUrl === undefined ? routing.deeplinkUrl : request.deeplinkUrl,
    fallbackPaths: { ...fallbackPaths, ...paths, option: { ...fallbackPaths.option, ...ofPaths, ...request.option } },
  };
}

/**
 * The terms of a request without faults, absent fields filled with the defaults (contract/tracking-links.md#creating).
 */
export function linkAttributes(request: LinkRequest): LinkAttributes {
  const { fallbackPaths = {}, ogTag = {} } = request;
  return {
    channel: request.channel,
    campaignParams: campaignParamsOf(request.campaignParams ?? {}),
    isReengagement: request.isReengagement ?? "OFF",
    deeplinkUrl: request.deeplinkUrl ?? null,
    fallbackPaths: {
      ios: fallbackPaths.ios ?? null,
      android: fallbackPaths.android ?? null,
      desktop: fallbackPaths.desktop ?? null,
      option: {
        iosCustomProductPageId: fallbackPaths.option?.iosCustomProductPageId ?? null,
        androidCustomStoreListing: fallbackPaths.option?.androidCustomStoreListing ?? null,
      },
    },
    ogTag: {
      title: ogTag.title ?? null,
      description: ogTag.description ?? null,
      imageUrl: ogTag.imageUrl ?? null,
    },
  };
}

function pathFaults(platform: string, path: string | null | undefined, words: readonly string[]): readonly Fault[] {
  if (path == null || words.includes(path)) return [];
  return destinationFaults(["fallbackPaths", platform], readWebAddress(path));
}

function destinationFaults(path: Path, read: Destination | DestinationFault): readonly Fault[] {
  if (typeof read !== "string") return [];
  const params = read === "too_long" ? { limit: maxDestinationLength } : undefined;
  return [fault(`destination_${read}`, path, params)];
}
