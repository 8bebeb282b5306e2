import { type CampaignParams, campaignFields, campaignKeys } from "../values/campaign-params.ts";

export interface LinkAddresses {
  readonly click: string;
  readonly impression: string;
  readonly serverToServerClick: string;
  readonly shortUrl: string;
}

/** The parts of a link that its URLs contain. */
export interface AddressedLink {
  readonly appName: string;
  readonly channel: string;
  readonly shortId: string;
  readonly templateId: string;
  readonly campaignParams: CampaignParams;
}

/** The addresses of a link below `LINK_BASE_URL` (contract/tracking-links.md#addresses). */
export function linkAddresses(linkBaseUrl: string, link: AddressedLink): LinkAddresses {
  const path = `@${link.appName}/${channelSegment(link.channel)}`;
  const named = `tracking_template_id=${link.templateId}&routing_short_id=${encodeURIComponent(link.shortId)}`;
  const campaign = campaignKeys.map((key) => {
    const value = link.campaignParams[campaignFields[key]];
    return value === undefined ? "" : `&${key}=${encodeURIComponent(value)}`;
  });
  const query = (adType: string): string => `${named}&ad_type=${adType}${campaign.join("")}`;
  return {
    click: `${linkBaseUrl}/${path}?${query("click")}`,
    impression: `${linkBaseUrl}/${path}?${query("view")}`,
    serverToServerClick: `${linkBaseUrl}/s2s/${path}?${query("click")}`,
    shortUrl: `${linkBaseUrl}/${link.shortId}`,
  };
}

/**
 * A channel as a percent-encoded path segment (contract/administration.md#channels). `.` and `..` are encoded twice, as
 * clients remove these segments in any single encoding.
 */
function channelSegment(channel: string): string {
  if (channel === "." || channel === "..") return channel.replaceAll(".", "%252E");
  return encodeURIComponent(channel);
}

/** Whether a decoded path segment is the channel. */
export function matchesChannelSegment(segment: string, channel: string): boolean {
  return segment === channel || segment === decodeURIComponent(channelSegment(channel));
}
