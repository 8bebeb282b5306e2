import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createUserAgentReader } from "../../../commands/touchpoints/user-agent.ts";
import { userAgents } from "../../examples/tracking-links.ts";

const reading = suite("what a user agent says");
const read = createUserAgentReader();
const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36";

reading("is system, version and that it is no bot", () => {
  const { iphone, android, desktop } = userAgents;
  assert.equal([iphone, android, desktop].map(read), [
    { userAgent: iphone, os: "iOS", osVersion: "17.1.1", botName: null },
    { userAgent: android, os: "Android", osVersion: "15", botName: null },
    { userAgent: desktop, os: "Web", osVersion: null, botName: null },
  ]);
});

reading("is no version where browsers claim an old one", () => {
  const reduced = `Mozilla/5.0 (Linux; Android 10; K) ${chrome}`;
  const frozen =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1";
  assert.equal(
    [reduced, frozen].map((userAgent) => read(userAgent).osVersion),
    [null, null],
  );
});

reading("is the name of a bot", () => {
  const bots = [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${chrome} (compatible; AdsBot-Google-Mobile)`,
    userAgents.crawler,
    "curl/8.1.2",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0 Safari/537.36",
  ];
  assert.equal(
    bots.map((userAgent) => read(userAgent).botName),
    ["Googlebot", "AdsBot-Google-Mobile", "facebookexternalhit", "curl", "HeadlessChrome"],
  );
});

reading("is nothing where there is none", () => {
  const nothing = { userAgent: null, os: null, osVersion: null, botName: null };
  assert.equal([undefined, ""].map(read), [nothing, nothing]);
});

reading("is kept short", () => {
  assert.is(read("a".repeat(16_000)).userAgent?.length, 1_024);
});

reading.run();
