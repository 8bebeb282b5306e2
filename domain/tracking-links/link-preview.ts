import { readWebAddress } from "./destination.ts";
import type { OgTag } from "./events.ts";

/** The preview of a shared link. */
export interface LinkPreview {
  readonly title: string;
  readonly description: string | null;
  /** Normalised; null if the link has no valid image. */
  readonly imageUrl: string | null;
  readonly appName: string;
}

/** User agents that fetch link previews; not the browsers inside the same apps, in which people open links. */
const crawlers = [
  ...["Bluesky Cardyb", "Blueno", "Discordbot", "Embedly", "Facebot", "facebookcatalog", "facebookexternalhit"],
  ...["Iframely", "LinkedInBot", "Mastodon/", "Pinterest/0\\.", "Pinterestbot", "SkypeUriPreview", "Slackbot"],
  ...["Snap URL Preview Service", "TelegramBot", "Twitterbot", "^Viber/", "^WhatsApp/", "kakaotalk-scrap"],
  ...["line-poker", "redditbot", "vkShare"],
];
const crawlerPattern = new RegExp(crawlers.join("|"), "i");

/** Whether a user agent is a social crawler (contract/tracking-links.md#opening). */
export function isSocialCrawler(userAgent: string): boolean {
  return crawlerPattern.test(userAgent);
}

/** A link's preview; the title defaults to the app's name. */
export function linkPreview(ogTag: OgTag, appName: string): LinkPreview {
  const image = ogTag.imageUrl === null ? null : readWebAddress(ogTag.imageUrl);
  return {
    title: ogTag.title || appName,
    description: ogTag.description || null,
    imageUrl: image === null || typeof image === "string" ? null : image.url.href,
    appName,
  };
}
