import type { TrackingLinkCreated } from "../../domain/tracking-links/events.ts";

/** Stands between the fields of a link, so that no keyword matches across two. */
const separator = "\u0001";

/** What a keyword is looked for in: short id, channel and campaign parameters (contract/tracking-links.md#listing). */
export function searchText(link: Pick<TrackingLinkCreated["data"], "shortId" | "channel" | "campaignParams">): string {
  return [link.shortId, link.channel, ...Object.values(link.campaignParams)].map(withoutCase).join(separator);
}

/** The `like` pattern of all search texts with a keyword in them, whatever its case. */
export function keywordPattern(keyword: string): string {
  return `%${withoutCase(keyword).replace(/[\\%_]/g, "\\$&")}%`;
}

/**
 * Upper case, by way of lower case, makes letters alike that have several of one kind (σ and ς, k and the Kelvin sign).
 */
function withoutCase(text: string): string {
  return text.replaceAll(separator, " ").toLowerCase().toUpperCase();
}
