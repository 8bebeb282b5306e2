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
