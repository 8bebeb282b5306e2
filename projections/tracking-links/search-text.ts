import type { TrackingLinkCreated } from "../../domain/tracking-links/events.ts";

/** Separates the fields of a link, so that no keyword matches across two. */
const separator = "\u0001";

/**
 * The text that keywords are searched in: short id, channel and campaign parameters
 * (contract/tracking-links.md#listing).
 */
export function searchText(link: Pick<TrackingLinkCreated["data"], "shortId" | "channel" | "campaignParams">): string {
  return [link.shortId, link.channel, ...Object.values(link.campaignParams)].map(withoutCase).join(separator);
}

/** The `like` pattern of all search texts with a keyword in them, whatever its case. */
export function keywordPattern(keyword: string): string {
  return `%${withoutCase(keyword).replace(/[\\%_]/g, "\\$&")}%`;
}

/** Lower case, then upper case, makes variants of a letter equal (σ and ς, k and the Kelvin sign). */
function withoutCase(text: string): string {
  return text.replaceAll(separator, " ").toLowerCase().toUpperCase();
}
