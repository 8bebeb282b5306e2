// NOTE storage format

import type { ChannelType } from "../channels/events.ts";
import type { DomainEvent } from "../event.ts";
import type { Reengagement } from "../tracking-links/events.ts";
import type { CampaignParams, PublisherParams } from "../values/campaign-params.ts";

export type TouchpointKind = "click" | "impression";
export type OperatingSystem = "Android" | "iOS" | "Web";

/** How a touchpoint reached us. */
export type TouchpointOrigin = "redirect" | "view" | "server_to_server" | "back_fill";

/** What a touchpoint says about the advertising behind it: the dimensions that reports group by. */
export interface TouchpointSource {
  readonly channel: string;
  readonly channelType: ChannelType;
  readonly trackingLinkId: number | null;
  readonly isReengagement: Reengagement;
  readonly campaignParams: CampaignParams;
  readonly publisher: PublisherParams;
}

/** Whether a person was behind it (contract/tracking-links.md#opening). */
export type HumanVerdict = { readonly human: true } | { readonly human: false; readonly bot: string };

/** Personal fields; the codec is the only place that may come to encrypt them. */
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
  /** Where the visitor was sent; null when nobody was redirected. */
  readonly destination: string | null;
  /** Key of the device id as sent (contract/ingest.md#devices); null when none was. */
  readonly deviceKey: string | null;
  readonly os: OperatingSystem | null;
  readonly osVersion: string | null;
  readonly person: TouchpointPerson;
}

export type ClickRecorded = DomainEvent<"ClickRecorded", TouchpointRecordedData>;
export type ImpressionRecorded = DomainEvent<"ImpressionRecorded", TouchpointRecordedData>;
export type TouchpointEvent = ClickRecorded | ImpressionRecorded;
