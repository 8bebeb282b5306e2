// NOTE storage format

import type { ChannelType } from "../channels/events.ts";
import type { DomainEvent } from "../event.ts";
import type { Reengagement } from "../tracking-links/events.ts";
import type { CampaignParams, PublisherParams } from "../values/campaign-params.ts";

export type TouchpointKind = "click" | "impression";
export type OperatingSystem = "Android" | "iOS" | "Web";

/** How a touchpoint was reported; `deeplink_open`: by an app that the system opened instead of the browser. */
export type TouchpointOrigin = "redirect" | "view" | "server_to_server" | "back_fill" | "deeplink_open";

/** The advertising behind a touchpoint: dimensions of reports. */
export interface TouchpointSource {
  readonly channel: string;
  readonly channelType: ChannelType;
  readonly trackingLinkId: number | null;
  readonly isReengagement: Reengagement;
  readonly campaignParams: CampaignParams;
  readonly publisher: PublisherParams;
}

/** Result of the bot filter (contract/tracking-links.md#opening). */
export type HumanVerdict = { readonly human: true } | { readonly human: false; readonly bot: string };

/** Personal fields, kept apart so that the codec could encrypt them. */
export interface TouchpointPerson {
  readonly ip?: string;
  readonly userAgent?: string;
  readonly gaid?: string;
  readonly idfa?: string;
  readonly idfv?: string;
  readonly deviceId?: string;
  readonly partnerClickId?: string;
}

export interface TouchpointRecordedData {
  /** UUID, lower case: the deduplication key per app; of a click, the `tl_click_id` that the redirect carries. */
  readonly touchpointId: string;
  readonly appId: number;
  /** When it happened, ISO 8601 in UTC with milliseconds. */
  readonly at: string;
  readonly origin: TouchpointOrigin;
  readonly source: TouchpointSource;
  readonly verdict: HumanVerdict;
  /** Target of the redirect; null without one. */
  readonly destination: string | null;
  /** Key of the device id (contract/ingest.md#devices); null if none was sent. */
  readonly deviceKey: string | null;
  readonly os: OperatingSystem | null;
  readonly osVersion: string | null;
  readonly person: TouchpointPerson;
}

export type ClickRecorded = DomainEvent<"ClickRecorded", TouchpointRecordedData>;
export type ImpressionRecorded = DomainEvent<"ImpressionRecorded", TouchpointRecordedData>;
export type TouchpointEvent = ClickRecorded | ImpressionRecorded;
