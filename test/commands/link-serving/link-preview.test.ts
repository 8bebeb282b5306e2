import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openAppPage, previewPage } from "../../../commands/link-serving/html-pages.ts";
import { createUserAgentReader } from "../../../commands/touchpoints/user-agent.ts";
import { linkPreview } from "../../../domain/tracking-links/link-preview.ts";
import { isSocialCrawler } from "../../../domain/tracking-links/social-crawlers.ts";
import { userAgents } from "../../examples/tracking-links.ts";
import { linkSuite } from "../../support/link-application.ts";
import { type Markup, parsePage } from "../../support/parsed-page.ts";
import { create, open } from "../../support/visitor.ts";

const crawlers = [
  "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
  "facebookexternalhit/1.1; kakaotalk-scrap/1.0; +https://devtalk.kakao.com/t/scrap/33984",
  "facebookexternalhit/1.1;line-poker/1.0",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
  "facebookcatalog/1.0",
  "Twitterbot/1.0",
  "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
  "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
  "TelegramBot (like TwitterBot)",
  "WhatsApp/2.23.20.0 A",
  "Viber/13.3.0.4",
  "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com",
  "Pinterest/0.2 (+https://www.pinterest.com/bot.html)",
  "Mozilla/5.0 (compatible; Pinterestbot/1.0; +http://www.pinterest.com/bot.html)",
  "Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)",
  "Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)",
  "Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)",
  "Iframely/1.3.1 (+https://iframely.com/docs/about)",
  "Mozilla/5.0 (compatible; Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots)",
  "http.rb/5.1.1 (Mastodon/4.2.0; +https://mastodon.social/) Bot",
  "Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)",
  "Mozilla/5.0 (compatible; Blueno/1.0; +http://naver.me/scrap)",
];
const browsersInApps = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/21B74 [FBAN/FBIOS;FBAV/440.0]",
  "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/119.0 Mobile Safari/537.36 KAKAOTALK 10.4.5",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Twitter for iPhone/10.15",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [LinkedInApp]/9.28",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [Pinterest/iOS]",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Line/13.20.0",
];

const agents = suite("social crawlers");

agents("are distinguished from browsers inside the same apps, and are all known bots", () => {
  const readUserAgent = createUserAgentReader();
  for (const agent of crawlers)
    assert.equal([isSocialCrawler(agent), readUserAgent(agent).botName !== null], [true, true], agent);
  const people = [...browsersInApps, ...Object.values(userAgents).filter((agent) => agent !== userAgents.crawler)];
  for (const agent of people) assert.is(isSocialCrawler(agent), false, agent);
});

const pages = suite("the preview page");

const meta = (key: "name" | "property", name: string, content: string): Markup => ({
  tag: "meta",
  attributes: { [key]: name, content },
});
const tag = (name: string, attributes = {}): Markup => ({ tag: name, attributes });

/** The page, as markup, of a link whose owner has set everything. */
function expectedPage(title: string, description: string, imageUrl: string): readonly Markup[] {
  return [
    tag("!doctype html"),
    tag("html", { lang: "en" }),
    tag("head"),
    tag("meta", { charset: "utf-8" }),
    meta("name", "viewport", "width=device-width"),
    meta("name", "robots", "noindex"),
    ...[tag("title"), { text: title }, tag("/title")],
    meta("property", "og:type", "website"),
    meta("property", "og:site_name", "shop"),
    meta("property", "og:title", title),
    meta("property", "og:description", description),
    meta("property", "og:image", imageUrl),
    meta("name", "description", description),
    meta("name", "twitter:card", "summary_large_image"),
    tag("/head"),
    tag("body"),
    ...[tag("h1"), { text: title }, tag("/h1")],
    ...[tag("p"), { text: description }, tag("/p")],
    tag("/body"),
    tag("/html"),
  ];
}

const hostile = [
  "</title><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "<!--<svg/onload=alert(1)>",
  "&lt;script&gt;&#60;script&#62;&amp;",
  "\r\nSet-Cookie: a=b\r\n\r\n<script>",
  "{{constructor.constructor('alert(1)')()}}",
  "\u202e<b>",
];

pages("contains the fields of its owner as text only", () => {
  const imageUrl = "https://shop.example/a.png?b='c'&d=1";
  const text = fc.oneof(
    fc.constantFrom(...hostile),
    fc.string({ minLength: 1, unit: "binary" }).filter((value) => !/[\0\p{Cs}]/u.test(value)),
    fc
      .array(fc.constantFrom("<", ">", "&", '"', "'", "/", "script", "=", " ", "title", "-", "!"), { minLength: 1 })
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, text, (title, description) => {
      const { html, contentSecurityPolicy } = previewPage(linkPreview({ title, description, imageUrl }, "shop"));
      assert.equal(parsePage(html), expectedPage(title, description, new URL(imageUrl).href));
      assert.is(
        contentSecurityPolicy,
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
    }),
    { numRuns: 500, examples: hostile.map((value) => [value, value]) },
  );
});

pages("falls back to the app's name, and omits unset fields", () => {
  const { html } = previewPage(linkPreview({ title: "", description: null, imageUrl: null }, "shop"));
  const properties = parsePage(html).flatMap((markup) => ("tag" in markup ? [markup.attributes] : []));
  assert.equal(properties.filter(({ content }) => content !== undefined).slice(2), [
    { property: "og:type", content: "website" },
    { property: "og:site_name", content: "shop" },
    { property: "og:title", content: "shop" },
    { name: "twitter:card", content: "summary" },
  ]);
});

pages("leaves out an image whose URL is not allowed in a link", () => {
  assert.is(linkPreview({ title: null, description: null, imageUrl: "javascript:alert(1)" }, "shop").imageUrl, null);
});

pages("that opens an app contains both addresses as text only", () => {
  for (const address of hostile) {
    const html = openAppPage(address, address).html.replace(/<script>.*<\/script>/s, "");
    const links = parsePage(html).flatMap((markup) =>
      "tag" in markup && markup.tag === "a" ? [markup.attributes.href] : [],
    );
    assert.equal(links, [address, address]);
  }
});

const crawling = linkSuite("a social crawler's visit");

crawling(
  "gets the preview on short and long URLs, and is recorded as a bot without a destination",
  async ({ application }) => {
    const [title, description, imageUrl] = ["<Spring>", "Shoes & more", "https://shop.example/a.png"];
    const { shortUrl, link } = await create(application, {
      deeplinkUrl: "shop://sale",
      ogTag: { title, description, imageUrl },
    });
    for (const address of [shortUrl, link.click]) {
      const { status, headers, text } = await open(application, address, userAgents.crawler);
      assert.equal(parsePage(text), expectedPage(title, description, imageUrl));
      assert.equal(
        [status, headers["content-type"], headers["cache-control"], headers.location],
        [200, "text/html; charset=utf-8", "no-store", undefined],
      );
      assert.match(String(headers["content-security-policy"]), /^default-src 'none';(?!.*script-src)/);
      const recorded = await application.lastTouchpoint();
      assert.equal(
        [recorded.data.verdict, recorded.data.destination],
        [{ human: false, bot: "facebookexternalhit" }, null],
      );
    }
  },
);

for (const tests of [agents, pages, crawling]) tests.run();
