import { readWebAddress } from "./destination.ts";
import type { OgTag } from "./events.ts";

/** What is shown of a link where somebody shares it. */
export interface LinkPreview {
  readonly title: string;
  readonly description: string | null;
  /** As browsers read it; null when the link has none that may be opened. */
  readonly imageUrl: string | null;
  readonly appName: string;
}

/**
 * Agents that fetch a page to show what a shared link is about, as they name themselves; not the browsers inside the
 * same apps, in which people follow links.
 */
const crawlers = [
  ...["Bluesky Cardyb", "Blueno", "Discordbot", "Embedly", "Facebot", "facebookcatalog", "facebookexternalhit"],
  ...["Iframely", "LinkedInBot", "Mastodon/", "Pinterest/0\\.", "Pinterestbot", "SkypeUriPreview", "Slackbot"],
  ...["Snap URL Preview Service", "TelegramBot", "Twitterbot", "^Viber/", "^WhatsApp/", "kakaotalk-scrap"],
  ...["line-poker", "redditbot", "vkShare"],
];
const crawlerPattern = new RegExp(crawlers.join("|"), "i");

/** Whether a user agent says that it is a social crawler (contract/tracking-links.md#opening). */
export function isSocialCrawler(userAgent: string): boolean {
  return crawlerPattern.test(userAgent);
}

/** A link's preview; where its owner has set no title, the app's name stands. */
export function linkPreview(ogTag: OgTag, appName: string): LinkPreview {
  const image = ogTag.imageUrl === null ? null : readWebAddress(ogTag.imageUrl);
  return {
    title: ogTag.title || appName,
    description: ogTag.description || null,
    imageUrl: image === null || typeof image === "string" ? null : image.url.href,
    appName,
  };
}
