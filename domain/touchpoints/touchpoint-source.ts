import type { TrackingLinkCreated } from "../tracking-links/events.ts";
import type { CampaignParams, PublisherParams } from "../values/campaign-params.ts";
import type { TouchpointSource } from "./events.ts";

/** The source of a link's touchpoints. */
export function linkSource(link: TrackingLinkCreated["data"]): TouchpointSource {
  return {
    channel: link.channel,
    channelType: link.channelType,
    trackingLinkId: link.linkId,
    isReengagement: link.isReengagement,
    campaignParams: link.campaignParams,
    publisher: {},
  };
}

/** A source overridden by URL parameters, field by field (contract/tracking-links.md#url-parameters). */
export function sourceWithUrl(
  source: TouchpointSource,
  campaignParams: CampaignParams,
  publisher: PublisherParams,
): TouchpointSource {
  return { ...source, campaignParams: { ...source.campaignParams, ...campaignParams }, publisher };
}
