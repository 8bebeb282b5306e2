import * as assert from "uvu/assert";
import { userAgents } from "../../examples/tracking-links.ts";
import { linkSuite } from "../../support/link-application.ts";
import { create, open } from "../../support/visitor.ts";

const { iphone, android, desktop } = userAgents;
const iPadAsMac =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Safari/605.1.15";

const visits = linkSuite("a visitor is recorded with the platform of the redirect");

/**
 * Each row: user agent and hint, where they lead, and the recorded system and version. Every combination of user agent and
 * hint is in `test/domain/touchpoints/operating-system.test.ts`.
 */
const visitors = [
  ["an iPhone", [iphone], "apps.apple.com", "iOS", "17.1.1"],
  ["an Android with the same hint", [android, `"Android"`], "play.google.com", "Android", "15"],
  ["a hint without a user agent", ["", `"iOS"`], "apps.apple.com", "iOS", null],
  ["a hint against the user agent", [iphone, `"Android"`], "play.google.com", "Android", null],
  ["an iPad that claims to be a Mac", [iPadAsMac], "shop.example", "Web", null],
  ["a desktop", [desktop], "shop.example", "Web", null],
  ["no user agent", [""], "shop.example", null, null],
] as const;

for (const [name, [userAgent, hint = ""], host, os, osVersion] of visitors) {
  visits(name, async ({ application }) => {
    const { shortUrl, link } = await create(application, {});
    const call = hint === "" ? {} : { headers: { "Sec-CH-UA-Platform": hint } };
    const clicked = await open(application, shortUrl, userAgent, call);
    await open(application, link.impression, userAgent, call);
    assert.is(new URL(clicked.headers.location ?? "").host, host);
    const recorded = (await application.touchpoints()).slice(-2).map(({ data }) => [data.os, data.osVersion]);
    assert.equal(recorded, Array(2).fill([os, osVersion]));
  });
}

visits("unless the URL describes the person: then that is recorded", async ({ application }) => {
  const { link } = await create(application, {});
  const seen = [];
  for (const described of ["os=ios", "os=Android", `user_agent=${encodeURIComponent(iphone)}`, "os=beos"]) {
    const { headers } = await open(application, `${link.click}&${described}`, android);
    const recorded = await application.lastTouchpoint();
    seen.push([new URL(headers.location ?? "").host, recorded.data.os, recorded.data.osVersion]);
  }
  assert.equal(seen, [
    ["play.google.com", "iOS", null],
    ["play.google.com", "Android", "15"],
    ["play.google.com", "iOS", "17.1.1"],
    ["play.google.com", "Android", "15"],
  ]);
});

visits.run();
