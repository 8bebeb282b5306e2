import { type CampaignKey, campaignParamsOf } from "../campaign-params.ts";
import { type Destination, type DestinationFault, readDestination, readWebAddress } from "./destination.ts";
import type { FallbackPaths, OgTag, Reengagement, Routing, TrackingLinkCreated } from "./events.ts";
import { appStoreWord, googlePlayWord } from "./stores.ts";

type Nullable<Value> = { readonly [Key in keyof Value]?: Value[Key] | null };

/** A link as somebody asks for it (A: create body). Types, lengths and the channel's name have been checked. */
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

/** What a link is made of, apart from its names. */
export type LinkTerms = Routing &
  Pick<TrackingLinkCreated["data"], "channel" | "campaignParams" | "isReengagement" | "ogTag">;

export interface LinkFault {
  /** Path to the field in the request. */
  readonly field: readonly string[];
  readonly type: string;
  readonly msg: string;
}

type Policy = (request: LinkRequest) => readonly LinkFault[];

const deeplinkCanBeOpened: Policy = ({ deeplinkUrl }) =>
  deeplinkUrl == null ? [] : destinationFaults(["deeplinkUrl"], readDestination(deeplinkUrl));

const fallbacksCanBeOpened: Policy = ({ fallbackPaths = {} }) => [
  ...pathFaults("ios", fallbackPaths.ios, [appStoreWord]),
  ...pathFaults("android", fallbackPaths.android, [googlePlayWord]),
  ...pathFaults("desktop", fallbackPaths.desktop, [googlePlayWord, appStoreWord]),
];

const imageIsOnTheWeb: Policy = ({ ogTag }) =>
  ogTag?.imageUrl == null ? [] : destinationFaults(["ogTag", "imageUrl"], readWebAddress(ogTag.imageUrl));

const policies: readonly Policy[] = [deeplinkCanBeOpened, fallbacksCanBeOpened, imageIsOnTheWeb];

/** Every destination of a request that no link may have (D4.4). */
export function linkFaults(request: LinkRequest): readonly LinkFault[] {
  return policies.flatMap((policy) => policy(request));
}

/** The terms of a request without faults, absent fields filled with A's defaults. */
export function linkTerms(request: LinkRequest): LinkTerms {
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

const faultMessages: { readonly [reason in DestinationFault]: string } = {
  too_long: "must have at most 2048 characters",
  not_absolute: "must be an absolute address with its scheme, such as https://example.com/ or myapp://home",
  forbidden_character:
    "must have white space, control characters, backslashes, quotes and angle brackets percent-encoded",
  scheme_refused: "must have another scheme: this one is not allowed",
  names_a_user: "must not name a user before the host",
  not_a_web_address: "must be an http or https address",
};

function pathFaults(platform: string, path: string | null | undefined, words: readonly string[]): readonly LinkFault[] {
  if (path == null || words.includes(path)) return [];
  return destinationFaults(["fallbackPaths", platform], readWebAddress(path));
}

function destinationFaults(field: readonly string[], read: Destination | DestinationFault): readonly LinkFault[] {
  return typeof read === "string" ? [fault(field, `destination_${read}`, faultMessages[read])] : [];
}

function fault(field: readonly string[], type: string, msg: string): LinkFault {
  return { field, type, msg };
}
