// NOTE storage format

import type { ChannelType } from "../channels/events.ts";
import type { DomainEvent } from "../event.ts";
import type { CampaignParams } from "../values/campaign-params.ts";

/** Which target events the touchpoints of a link can win (contract/tracking-links.md#re-engagement). */
export type Reengagement = "OFF" | "ON-TRUE" | "ON-FALSE";

export interface FallbackOption {
  readonly iosCustomProductPageId: string | null;
  readonly androidCustomStoreListing: string | null;
}

export interface FallbackPaths {
  /** `itunes-appstore` or an http(s) URL; null: the app's own. */
  readonly ios: string | null;
  /** `google-play` or an http(s) URL; null: the app's own. */
  readonly android: string | null;
  /** `google-play`, `itunes-appstore` or an http(s) URL; null: the app's own. */
  readonly desktop: string | null;
  readonly option: FallbackOption;
}

export interface OgTag {
  readonly title: string | null;
  readonly description: string | null;
  readonly imageUrl: string | null;
}

export interface Routing {
  readonly deeplinkUrl: string | null;
  readonly fallbackPaths: FallbackPaths;
}

export type TrackingLinkCreated = DomainEvent<
  "TrackingLinkCreated",
  Routing & {
    readonly linkId: number;
    readonly appId: number;
    readonly shortId: string;
    readonly templateId: string;
    readonly channel: string;
    readonly channelType: ChannelType;
    readonly campaignParams: CampaignParams;
    readonly isReengagement: Reengagement;
    readonly ogTag: OgTag;
  }
>;

export type OgTagChanged = DomainEvent<"OgTagChanged", { readonly linkId: number; readonly ogTag: OgTag }>;
export type RoutingChanged = DomainEvent<"RoutingChanged", Routing & { readonly linkId: number }>;
/** `campaignParams`: all of them, after the change. */
export type CampaignParamsChanged = DomainEvent<
  "CampaignParamsChanged",
  { readonly linkId: number; readonly campaignParams: CampaignParams }
>;
export type TrackingLinkArchived = DomainEvent<"TrackingLinkArchived", { readonly linkId: number }>;
export type TrackingLinkRestored = DomainEvent<"TrackingLinkRestored", { readonly linkId: number }>;

export type TrackingLinkEvent =
  | TrackingLinkCreated
  | OgTagChanged
  | RoutingChanged
  | CampaignParamsChanged
  | TrackingLinkArchived
  | TrackingLinkRestored;

/** A fresh install got the destination of the click that won it (contract/tracking-links.md#deferred-deep-links). */
export type DeferredLinkOpened = DomainEvent<
  "DeferredLinkOpened",
  {
    readonly appId: number;
    /** Of the install. */
    readonly eventId: string;
    readonly touchpointId: string;
    readonly trackingLinkId: number | null;
    readonly destination: string;
  }
>;
