import { suite } from "uvu";
import * as assert from "uvu/assert";
import { botNameOf } from "../../../commands/touchpoints/bot-name.ts";
import { userAgents } from "../../examples/tracking-links.ts";

const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36";
const safari = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15";
const mobileSafari = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/14.1.2 Mobile/15E148 Safari/604.1";
const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5)";
const webKit = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible";

/** Each row: the name of a bot, its user agent. */
const bots = [
  ["Googlebot", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"],
  ["Googlebot", `${webKit}; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/131.0.0.0 Safari/537.36`],
  [
    "Googlebot",
    `Mozilla/5.0 (Linux; Android 6.0.1) ${chrome} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
  ],
  ["Googlebot-Image", "Googlebot-Image/1.0"],
  ["AdsBot-Google", "AdsBot-Google (+http://www.google.com/adsbot.html)"],
  ["AdsBot-Google-Mobile", `Mozilla/5.0 (Linux; Android 6.0.1) ${chrome} (compatible; AdsBot-Google-Mobile)`],
  [
    "AdsBot-Google-Mobile",
    `Mozilla/5.0 (iPhone; CPU iPhone OS 14_7_1 like Mac OS X) ${mobileSafari} (compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)`,
  ],
  [
    "Google-PageRenderer",
    `${mac} ${safari} Google-PageRenderer Google (+https://developers.google.com/+/web/snippet/)`,
  ],
  ["bingbot", `${webKit}; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36`],
  ["Applebot", `${mac} ${safari} (Applebot/0.1; +http://www.apple.com/go/applebot)`],
  ["YandexBot", "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)"],
  ["Baiduspider", "Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)"],
  ["Yahoo! Slurp", "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)"],
  ["Yeti", "Mozilla/5.0 (compatible; Yeti/1.1; +https://naver.me/spd)"],
  ["Daum", "Mozilla/5.0 (compatible; Daum/4.1; +http://cs.daum.net/faq/15/4118.html?faqId=28966)"],
  ["PetalBot", "Mozilla/5.0 (compatible; PetalBot;+https://webmaster.petalsearch.com/site/petalbot)"],
  ["AhrefsBot", "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)"],
  ["SemrushBot", "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)"],
  ["GPTBot", `${webKit}; GPTBot/1.2; +https://openai.com/gptbot)`],
  ["ChatGPT-User", `${webKit.replace("; compatible", ")")}; compatible; ChatGPT-User/1.0; +https://openai.com/bot`],
  ["ClaudeBot", `${webKit}; ClaudeBot/1.0; +claudebot@anthropic.com)`],
  ["Bytespider", `Mozilla/5.0 (Linux; Android 5.0) ${chrome} (compatible; Bytespider; spider-feedback@bytedance.com)`],
  ["ia_archiver", "Mozilla/5.0 (compatible; ia_archiver/1.0)"],
  ["facebookexternalhit", userAgents.crawler],
  ["facebookexternalhit", "facebookexternalhit/1.1; kakaotalk-scrap/1.0; +https://devtalk.kakao.com/t/scrap/33984"],
  ["meta-externalagent", "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)"],
  ["Facebot", `${mac} ${safari} facebookexternalhit/1.1 Facebot Twitterbot/1.0`],
  ["Twitterbot", "Twitterbot/1.0"],
  ["Slackbot-LinkExpanding", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"],
  ["WhatsApp", "WhatsApp/2.23.20.0"],
  ["TelegramBot", "TelegramBot (like TwitterBot)"],
  ["LinkedInBot", "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)"],
  ["Discordbot", "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)"],
  ["Pinterest", "Pinterest/0.2 (+http://www.pinterest.com/)"],
  ["vkShare", "Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)"],
  ["Snap URL Preview Service", "Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots"],
  [
    "SkypeUriPreview",
    "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com",
  ],
  ["UptimeRobot", "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)"],
  [
    "HeadlessChrome",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0 Safari/537.36",
  ],
  ["Chrome-Lighthouse", `${mac} ${chrome} Chrome-Lighthouse`],
  ["Screaming Frog SEO Spider", "Screaming Frog SEO Spider/19.0"],
  ["Scrapy", "Scrapy/2.11.0 (+https://scrapy.org)"],
  ["curl", "curl/8.1.2"],
  ["Wget", "Wget/1.21.4"],
  ["python-requests", "python-requests/2.31.0"],
  ["Python", "Python/3.11 aiohttp/3.9.1"],
  ["Go-http-client", "Go-http-client/1.1"],
  ["Apache-HttpClient", "Apache-HttpClient/4.5.13 (Java/11.0.20)"],
  ["axios", "axios/1.6.2"],
  ["okhttp", "okhttp/4.12.0"],
  ["spider", "Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; SV1) spider"],
  ["crawler.example", "Mozilla/5.0 (compatible; +http://crawler.example/bot)"],
  ["Mozilla", "Mozilla/5.0"],
] as const;

const named = suite("a bot");

for (const [name, userAgent] of bots) {
  named(`is ${name}: ${userAgent}`, () => {
    assert.is(botNameOf(userAgent), name);
  });
}

named.run();

/** Programs in which people open links. */
const people = [
  userAgents.iphone,
  userAgents.android,
  userAgents.desktop,
  `Mozilla/5.0 (Linux; Android 15; CUBOT X30) ${chrome}`,
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 300.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/442.0.0.29.109]",
  `Mozilla/5.0 (Linux; Android 13; SM-S901N; wv) ${chrome};KAKAOTALK 2410360`,
  "Dalvik/2.1.0 (Linux; U; Android 13; SM-G991B Build/TP1A.220624.014)",
  "Shop/1 CFNetwork/1410.0.3 Darwin/22.6.0",
];

const person = suite("a person");

for (const userAgent of people) {
  person(`is no bot: ${userAgent}`, () => {
    assert.is(botNameOf(userAgent), null);
  });
}

person.run();
