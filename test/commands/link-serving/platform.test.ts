import * as assert from "uvu/assert";
import { userAgents } from "../../examples/tracking-links.ts";
import { linkSuite } from "../../support/link-application.ts";
import { create, open } from "../../support/visitor.ts";

const { iphone, android, desktop } = userAgents;
const lowerCase = android.toLowerCase();
const iPadAsMac =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Safari/605.1.15";

const visits = linkSuite("a visitor is recorded as what it was answered as");

/** Each row: what is sent, where it leads, and the system and version of the event. */
const visitors = [
  ["an iPhone", [iphone], "apps.apple.com", "iOS", "17.1.1"],
  ["an Android", [android], "play.google.com", "Android", "15"],
  ["an Android in lower case", [lowerCase], "play.google.com", "Android", "15"],
  ["an Android whose hint says so too", [android, `"Android"`], "play.google.com", "Android", "15"],
  ["a hint on a desktop's user agent", [desktop, `"Android"`], "play.google.com", "Android", null],
  ["a hint without a user agent", ["", `"iOS"`], "apps.apple.com", "iOS", null],
  ["a hint against the user agent", [iphone, `"Android"`], "play.google.com", "Android", null],
  ["a desktop's hint against a phone's user agent", [iphone, `"Windows"`], "apps.apple.com", "iOS", "17.1.1"],
  ["hints that differ", [android, `"iOS", "Windows"`], "play.google.com", "Android", "15"],
  ["an iPad that claims to be a Mac", [iPadAsMac], "shop.example", "Web", null],
  ["a desktop", [desktop], "shop.example", "Web", null],
  ["a user agent of nothing", ["x"], "shop.example", "Web", null],
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

visits(
  "unless the URL says whom it describes: then that is recorded, and the visitor sent on",
  async ({ application }) => {
    const { link } = await create(application, {});
    const seen = [];
    for (const described of ["os=ios", "os=Android", `user_agent=${encodeURIComponent(iphone)}`, "os=beos"]) {
      const { headers } = await open(application, `${link.click}&${described}`, lowerCase, {
        headers: { "Sec-CH-UA-Platform": `"Android"` },
      });
      const [recorded] = (await application.touchpoints()).slice(-1);
      seen.push([new URL(headers.location ?? "").host, recorded?.data.os, recorded?.data.osVersion]);
    }
    assert.equal(seen, [
      ["play.google.com", "iOS", null],
      ["play.google.com", "Android", "15"],
      ["play.google.com", "iOS", "17.1.1"],
      ["play.google.com", "Android", "15"],
    ]);
  },
);

visits.run();
