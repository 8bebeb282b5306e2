import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clickTargets } from "../../../domain/tracking-links/click-targets.ts";
import type { Routing } from "../../../domain/tracking-links/events.ts";
import { overriddenRouting, type RoutingOverride } from "../../../domain/tracking-links/routing-override.ts";
import type { AppAddresses } from "../../../domain/tracking-links/stores.ts";
import { shop } from "../../examples/app.ts";
import { noFallbacks } from "../../examples/tracking-links.ts";
import { addresses, appStore, openPageUrl, routing } from "./routings.ts";

const overrides = suite("destinations in the URL of a link");

function overridden(override: RoutingOverride, app: AppAddresses = shop): Routing {
  return overriddenRouting(routing({ deeplinkUrl: "shop://sale" }), override, app);
}

overrides("are accepted when they are the app's own", () => {
  assert.equal(
    overridden({ deeplinkUrl: "shop://product/7", ios: `${appStore}?ppid=x`, desktop: "https://shop.example/shoes" }),
    routing({
      deeplinkUrl: "shop://product/7",
      fallbackPaths: { ...noFallbacks, ios: `${appStore}?ppid=x`, desktop: "https://shop.example/shoes" },
    }),
  );
});

overrides("are accepted on the app's redirect hosts", () => {
  const app = { ...shop, redirectHosts: ["News.example"] };
  assert.is(overridden({ deeplinkUrl: "https://news.example/1" }, app).deeplinkUrl, "https://news.example/1");
});

overrides("on a store's host are those of the link's or the app's own app", () => {
  const own = ["https://play.google.com/store/apps/details?id=example.shop&hl=ko", `${appStore}?mt=8`];
  for (const android of own) assert.is(overridden({ android }).fallbackPaths.android, android);
  for (const android of [
    "https://play.google.com/store/apps/details?id=evil.app",
    "https://play.google.com/store/apps/details?id=example.shop&id=evil.app",
    "https://play.google.com/store/apps/dev?id=example.shop",
    "https://apps.apple.com/app/id666",
    "https://apps.apple.com/app/id123456789/id666",
  ]) {
    assert.is(overridden({ android, deeplinkUrl: android }).fallbackPaths.android, null, android);
    assert.is(overridden({ deeplinkUrl: android }).deeplinkUrl, "shop://sale", android);
  }
  const market = routing({ deeplinkUrl: "market://details?id=example.shop" });
  const deeplinkUrl = "market://details?id=evil.app";
  assert.equal(overriddenRouting(market, { deeplinkUrl }, shop), market);
});

overrides("on a store's host are accepted where it is a redirect host of the app", () => {
  const android = "https://play.google.com/store/apps/details?id=other.app";
  const app = { ...shop, redirectHosts: ["play.google.com"] };
  assert.is(overridden({ android }, app).fallbackPaths.android, android);
});

overrides("never turn https into http, unless the link itself uses http for that host", () => {
  const app = { ...shop, redirectHosts: ["news.example"] };
  for (const desktop of ["http://shop.example/shoes", "http://news.example/1"]) {
    assert.is(overridden({ desktop }, app).fallbackPaths.desktop, null, desktop);
  }
  const plain = { ...shop, desktopUrl: "http://shop.example/" };
  for (const desktop of ["http://shop.example/shoes", "https://shop.example/shoes"]) {
    assert.is(overridden({ desktop }, plain).fallbackPaths.desktop, desktop);
  }
});

overrides("may be the name of a store", () => {
  assert.is(overridden({ desktop: "google-play" }).fallbackPaths.desktop, "google-play");
  assert.is(overridden({ ios: "google-play" }).fallbackPaths.ios, null);
});

for (const hostile of [
  "https://evil.example/",
  "https://shop.example.evil.example/",
  "https://shop.example:8443/",
  "https://shop.example@evil.example/",
  "https://evil.example\\@shop.example/",
  "//evil.example",
  "other://sale",
  "javascript:alert(1)",
  "https://shop.example/\r\nLocation: https://evil.example",
]) {
  overrides(`are ignored on other hosts: ${JSON.stringify(hostile)}`, () => {
    assert.equal(
      overridden({ deeplinkUrl: hostile, ios: hostile, android: hostile, desktop: hostile }),
      routing({ deeplinkUrl: "shop://sale" }),
    );
  });
}

/** Parts of addresses close to allowed ones, and others that browsers, servers and people read in different ways. */
const parts = fc.constantFrom(
  ..."https: http: HTTPS: shop: Shop: javascript: data: intent: // / \\ @ : # ? 443 8443 . user alert(1) a".split(" "),
  ..."shop.example news.example evil.example https://shop.example https://news.example/ google-play".split(" "),
  ...["xn--", "%2f", "%0d%0a", "\r\n", "\t", " ", "\u3002", "\uff0f", "\u202e"],
);
const hostile = fc.oneof(
  fc.array(parts, { minLength: 1, maxLength: 8 }).map((chosen) => chosen.join("")),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.string({ unit: "binary" }),
);

overrides("lead only to the link's own destinations and the app's hosts", () => {
  const app = { ...shop, redirectHosts: ["news.example"] };
  const link = routing({
    deeplinkUrl: "shop://sale/spring",
    fallbackPaths: { ...noFallbacks, desktop: "https://desktop.example/sale" },
  });
  /** Hosts of web addresses, schemes of apps. */
  const owners = ["shop:", "desktop.example", "shop.example", "news.example", "apps.apple.com", "play.google.com"];
  const anyOverride = fc.record(
    { deeplinkUrl: hostile, ios: hostile, android: hostile, desktop: hostile },
    { requiredKeys: [], noNullPrototype: true },
  );
  let accepted = 0;
  fc.assert(
    fc.property(anyOverride, fc.constantFrom("ios", "android", "desktop"), (override, platform) => {
      const changed = overriddenRouting(link, override, app);
      if (JSON.stringify(changed) !== JSON.stringify(link)) accepted += 1;
      for (const address of [addresses(clickTargets(changed, app, openPageUrl)[platform])].flat()) {
        assert.match(address, /^[\x21-\x7e]+$/);
        const owner = /^https?:/.test(address) ? new URL(address).host : address.slice(0, address.indexOf(":") + 1);
        assert.ok(owners.includes(owner), address);
      }
    }),
    { numRuns: 5_000 },
  );
  assert.ok(accepted > 50, `only ${accepted} overrides were accepted`);
});

overrides.run();
