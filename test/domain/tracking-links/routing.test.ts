import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { detectOs, osOfUserAgent } from "../../../domain/touchpoints/operating-system.ts";
import { withClickId } from "../../../domain/tracking-links/click-url.ts";
import type { Routing } from "../../../domain/tracking-links/events.ts";
import {
  type ClickTarget,
  clickTargets,
  overriddenRouting,
  platformOf,
  type RoutingOverride,
} from "../../../domain/tracking-links/routing.ts";
import type { AppAddresses } from "../../../domain/tracking-links/stores.ts";
import { shop } from "../../examples/app.ts";
import { noFallbacks, userAgents } from "../../examples/tracking-links.ts";

const openPageUrl = "https://touchledger.example/open";
const appStore = "https://apps.apple.com/app/id123456789";
const googlePlay = "https://play.google.com/store/apps/details?id=example.shop";
const nowhere: AppAddresses = {
  iosStoreId: null,
  iosStoreUrl: null,
  androidPackage: null,
  androidStoreUrl: null,
  desktopUrl: null,
  redirectHosts: [],
};

function routing(changes: Partial<Routing> = {}): Routing {
  return { deeplinkUrl: null, fallbackPaths: noFallbacks, ...changes };
}

/** The destination of a target, or the deeplink and the fallback of a page. */
function addresses(target: ClickTarget): string | readonly [string, string] {
  if (target.kind === "redirect") return withClickId(target.to, "ID");
  return [withClickId(target.deeplink, "ID"), withClickId(target.fallback, "ID")];
}

function answers(link: Routing, app: AppAddresses = shop): readonly (string | readonly [string, string])[] {
  const { ios, android, desktop } = clickTargets(link, app, openPageUrl);
  return [ios, android, desktop].map(addresses);
}

const platforms = suite("the platform of a visitor");

platforms("is its system's, and desktop when it is unknown", () => {
  assert.equal((["iOS", "Android", "Web", null] as const).map(platformOf), ["ios", "android", "desktop", "desktop"]);
});

const targets = suite("the destinations of a link");

targets("without a deeplink are the app's stores, on desktops its page", () => {
  assert.equal(answers(routing()), [
    `${appStore}?tl_click_id=ID`,
    `${googlePlay}&referrer=tl_click_id%3DID`,
    "https://shop.example/?tl_click_id=ID",
  ]);
});

targets("with a web deeplink are that address, on desktops the fallback", () => {
  assert.equal(answers(routing({ deeplinkUrl: "https://shop.example/sale?a=1#top" })), [
    "https://shop.example/sale?a=1&tl_click_id=ID#top",
    "https://shop.example/sale?a=1&tl_click_id=ID#top",
    "https://shop.example/?tl_click_id=ID",
  ]);
});

targets("with a deeplink into an app are a page that tries it and then the fallback", () => {
  assert.equal(answers(routing({ deeplinkUrl: "shop://sale/spring" })), [
    ["shop://sale/spring?tl_click_id=ID", `${appStore}?tl_click_id=ID`],
    ["shop://sale/spring?tl_click_id=ID", `${googlePlay}&referrer=tl_click_id%3DID`],
    "https://shop.example/?tl_click_id=ID",
  ]);
});

targets("are the store pages that the link has chosen", () => {
  const option = { iosCustomProductPageId: "page 1&2", androidCustomStoreListing: "spring" };
  assert.equal(answers(routing({ fallbackPaths: { ...noFallbacks, desktop: "google-play", option } })), [
    `${appStore}?ppid=page+1%262&tl_click_id=ID`,
    `${googlePlay}&listing=spring&referrer=tl_click_id%3DID`,
    `${googlePlay}&listing=spring&referrer=tl_click_id%3DID`,
  ]);
});

targets("are the link's own addresses before the app's", () => {
  const fallbackPaths = {
    ...noFallbacks,
    ios: "https://ios.example/",
    android: "https://play.google.com/store/apps/details?referrer=utm_source%3Dx&id=other",
    desktop: "itunes-appstore",
  };
  assert.equal(answers(routing({ fallbackPaths })), [
    "https://ios.example/?tl_click_id=ID",
    "https://play.google.com/store/apps/details?id=other&referrer=utm_source%3Dx%26tl_click_id%3DID",
    `${appStore}?tl_click_id=ID`,
  ]);
});

targets("are the chosen store pages, also at the link's own addresses", () => {
  const fallbackPaths = {
    ios: "https://apps.apple.com/app/id5?mt=8",
    android: "https://play.google.com/store/apps/details?id=other",
    desktop: "https://desktop.example/",
    option: { iosCustomProductPageId: "page", androidCustomStoreListing: "spring" },
  };
  assert.equal(answers(routing({ fallbackPaths })), [
    "https://apps.apple.com/app/id5?mt=8&ppid=page&tl_click_id=ID",
    "https://play.google.com/store/apps/details?id=other&listing=spring&referrer=tl_click_id%3DID",
    "https://desktop.example/?tl_click_id=ID",
  ]);
});

targets("are the plain page without any address of link and app", () => {
  assert.equal(answers(routing(), nowhere), Array(3).fill(`${openPageUrl}?tl_click_id=ID`));
});

targets("carry only the click id of this click", () => {
  const [ios] = answers(routing({ deeplinkUrl: "https://shop.example/?tl_click_id=old&b=2" }));
  assert.is(ios, "https://shop.example/?b=2&tl_click_id=ID");
});

targets("carry only the click id of this click, also where another one is encoded or inside a referrer", () => {
  const hidden = routing({ deeplinkUrl: "https://shop.example/?tl%5Fclick_id=old&%74l_click_id=old&b=2" });
  assert.is(answers(hidden)[0], "https://shop.example/?b=2&tl_click_id=ID");
  const play = "https://play.google.com/store/apps/details?id=other";
  for (const [sent, kept] of [
    ["referrer=tl_click_id%3Dold", ""],
    ["referrer=utm_source%3Dx%26tl%255Fclick_id%3Dold%26b%3D2", "utm_source%3Dx%26b%3D2%26"],
    ["%72eferrer=tl_click_id%3Dold&referrer=a%3D1", ""],
    ["referrer", ""],
    ["referrer=%E0%A4%A", "%25E0%25A4%25A%26"],
  ]) {
    const fallbackPaths = { ...noFallbacks, android: `${play}&${sent}` };
    assert.is(answers(routing({ fallbackPaths }))[1], `${play}&referrer=${kept}tl_click_id%3DID`, sent);
  }
});

const totality = suite("routing is total");

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.webUrl(),
  fc.constantFrom("itunes-appstore", "google-play", "shop://x"),
);
const anyPath = fc.option(anyText);
const anyRouting = fc.record({
  deeplinkUrl: anyPath,
  fallbackPaths: fc.record({
    ios: anyPath,
    android: anyPath,
    desktop: anyPath,
    option: fc.record({ iosCustomProductPageId: anyPath, androidCustomStoreListing: anyPath }),
  }),
});
const anyApp = fc.record({
  iosStoreId: anyPath.map((text) => text?.replace(/\p{Cs}/gu, "") ?? null),
  iosStoreUrl: anyPath,
  androidPackage: anyPath.map((text) => text?.replace(/\p{Cs}/gu, "") ?? null),
  androidStoreUrl: anyPath,
  desktopUrl: anyPath,
  redirectHosts: fc.array(fc.domain()),
});
const anyUserAgent = fc.oneof(fc.constantFrom(...Object.values(userAgents)), fc.string());

totality("every user agent gets a destination with the click id, whatever link and app have", () => {
  fc.assert(
    fc.property(anyRouting, anyApp, anyUserAgent, fc.string(), (link, app, userAgent, hint) => {
      const target = clickTargets(link, app, openPageUrl)[platformOf(detectOs(osOfUserAgent(userAgent), hint))];
      for (const destination of [addresses(target)].flat()) {
        assert.match(destination, /^[a-z][a-z0-9+.-]+:[\x21-\x7e]*tl_click_id(=|%3D)ID/);
        assert.not.match(destination, /^(javascript|data|vbscript|file|intent):/);
      }
    }),
    { numRuns: 1_000 },
  );
});

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

platforms.run();
targets.run();
totality.run();
overrides.run();
