import type { TrackingLinkCreated } from "../tracking-links/events.ts";
import type { CampaignParams, PublisherParams } from "../values/campaign-params.ts";
import type { TouchpointSource } from "./events.ts";

/** What a link says about every touchpoint of its own. */
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

/** What a URL says counts in place of the link's own, field by field (contract/tracking-links.md#url-parameters). */
export function sourceWithUrl(
  source: TouchpointSource,
  campaignParams: CampaignParams,
  publisher: PublisherParams,
): TouchpointSource {
  return { ...source, campaignParams: { ...source.campaignParams, ...campaignParams }, publisher };
}
