import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { osOfUserAgent } from "../../../domain/touchpoints/operating-system.ts";
import { withClickId } from "../../../domain/tracking-links/click-url.ts";
import type { Routing } from "../../../domain/tracking-links/events.ts";
import { clickTargets, overriddenRouting, platformOf } from "../../../domain/tracking-links/routing.ts";
import { shop } from "../../examples/app.ts";
import { noFallbacks, userAgents } from "../../examples/tracking-links.ts";

const app = { ...shop, redirectHosts: ["news.example"] };
const link: Routing = {
  deeplinkUrl: "shop://sale/spring",
  fallbackPaths: { ...noFallbacks, desktop: "https://desktop.example/sale" },
};
const openPage = "https://touchledger.example/open";

/** Where browsers go: by host for web addresses, by scheme for apps. */
const owners = ["shop:", "desktop.example", "shop.example", "news.example", "apps.apple.com", "play.google.com"];

/** Addresses close to what is allowed, and others that browsers, servers and people read in different ways. */
const parts = fc.constantFrom(
  ...[
    "https:",
    "http:",
    "HTTPS:",
    "shop:",
    "Shop:",
    "javascript:",
    "data:",
    "intent:",
    "//",
    "/",
    "\\",
    "@",
    ":",
    "#",
    "?",
  ],
  ...[
    "shop.example",
    "news.example",
    "evil.example",
    "xn--",
    "%2f",
    "%0d%0a",
    "\r\n",
    "\t",
    " ",
    "\u3002",
    "\uff0f",
    "\u202e",
  ],
  ...["443", "8443", ".", "user", "alert(1)", "a", "https://shop.example", "https://news.example/", "google-play"],
);
const hostile = fc.oneof(
  fc.array(parts, { minLength: 1, maxLength: 8 }).map((chosen) => chosen.join("")),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.string({ unit: "binary" }),
);

const overrides = suite("whatever a link's URL asks for");

overrides("sends visitors to the link's own destinations and the app's hosts alone", () => {
  const asked = fc.record(
    { deeplinkUrl: hostile, ios: hostile, android: hostile, desktop: hostile },
    { requiredKeys: [], noNullPrototype: true },
  );
  let overridden = 0;
  fc.assert(
    fc.property(asked, fc.constantFrom(...Object.values(userAgents)), (override, userAgent) => {
      const routing = overriddenRouting(link, override, app);
      const way = clickTargets(routing, app, openPage)[platformOf(osOfUserAgent(userAgent))];
      if (JSON.stringify(routing) !== JSON.stringify(link)) overridden += 1;
      for (const to of way.kind === "redirect" ? [way.to] : [way.deeplink, way.fallback]) {
        const location = withClickId(to, "ID");
        assert.match(location, /^[\x21-\x7e]+$/);
        const owner = /^https?:/.test(location) ? new URL(location).host : location.slice(0, location.indexOf(":") + 1);
        assert.ok(owners.includes(owner), location);
      }
    }),
    { numRuns: 5_000 },
  );
  // Not all is refused, else this would show nothing.
  assert.ok(overridden > 50, `${overridden}`);
});

overrides.run();
