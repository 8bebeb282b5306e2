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

const openPage = "https://touchledger.example/open";
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

function said(way: ClickTarget): string | readonly [string, string] {
  if (way.kind === "redirect") return withClickId(way.to, "ID");
  return [withClickId(way.deeplink, "ID"), withClickId(way.fallback, "ID")];
}

function answers(link: Routing, app: AppAddresses = shop): readonly (string | readonly [string, string])[] {
  const ways = clickTargets(link, app, openPage);
  return [said(ways.ios), said(ways.android), said(ways.desktop)];
}

const platforms = suite("the platform of a visitor");

platforms("is its system's, and a desktop where nothing is known", () => {
  assert.equal((["iOS", "Android", "Web", null] as const).map(platformOf), ["ios", "android", "desktop", "desktop"]);
});

const ways = suite("where visitors go");

ways("without a deeplink to the app's stores, on desktops to its page", () => {
  assert.equal(answers(routing()), [
    `${appStore}?tl_click_id=ID`,
    `${googlePlay}&referrer=tl_click_id%3DID`,
    "https://shop.example/?tl_click_id=ID",
  ]);
});

ways("with a web deeplink there, on desktops to the fallback", () => {
  assert.equal(answers(routing({ deeplinkUrl: "https://shop.example/sale?a=1#top" })), [
    "https://shop.example/sale?a=1&tl_click_id=ID#top",
    "https://shop.example/sale?a=1&tl_click_id=ID#top",
    "https://shop.example/?tl_click_id=ID",
  ]);
});

ways("with an app's deeplink to a page that tries it and then the fallback", () => {
  assert.equal(answers(routing({ deeplinkUrl: "shop://sale/spring" })), [
    ["shop://sale/spring?tl_click_id=ID", `${appStore}?tl_click_id=ID`],
    ["shop://sale/spring?tl_click_id=ID", `${googlePlay}&referrer=tl_click_id%3DID`],
    "https://shop.example/?tl_click_id=ID",
  ]);
});

ways("to the pages that the link chose in the stores", () => {
  const option = { iosCustomProductPageId: "page 1&2", androidCustomStoreListing: "spring" };
  assert.equal(answers(routing({ fallbackPaths: { ...noFallbacks, desktop: "google-play", option } })), [
    `${appStore}?ppid=page+1%262&tl_click_id=ID`,
    `${googlePlay}&listing=spring&referrer=tl_click_id%3DID`,
    `${googlePlay}&listing=spring&referrer=tl_click_id%3DID`,
  ]);
});

ways("to the link's own addresses in place of the app's", () => {
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

ways("to the store's page that the link asks for, also at an address of the link's own", () => {
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

ways("to the plain page when neither link nor app names anything", () => {
  assert.equal(answers(routing(), nowhere), Array(3).fill(`${openPage}?tl_click_id=ID`));
});

ways("with our click id alone, whatever the destination carried", () => {
  const [ios] = answers(routing({ deeplinkUrl: "https://shop.example/?tl_click_id=old&b=2" }));
  assert.is(ios, "https://shop.example/?b=2&tl_click_id=ID");
});

ways("with our click id alone, also where another is written in other letters or inside a referrer", () => {
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

totality("every user agent gets a destination that carries the click id, whatever link and app hold", () => {
  fc.assert(
    fc.property(anyRouting, anyApp, anyUserAgent, fc.string(), (link, app, userAgent, hint) => {
      const way = clickTargets(link, app, openPage)[platformOf(detectOs(osOfUserAgent(userAgent), hint))];
      for (const destination of [said(way)].flat()) {
        assert.match(destination, /^[a-z][a-z0-9+.-]+:[\x21-\x7e]*tl_click_id(=|%3D)ID/);
        assert.not.match(destination, /^(javascript|data|vbscript|file|intent):/);
      }
    }),
    { numRuns: 1_000 },
  );
});

const overrides = suite("a destination that a URL asks for");

function overridden(override: RoutingOverride, app: AppAddresses = shop): Routing {
  return overriddenRouting(routing({ deeplinkUrl: "shop://sale" }), override, app);
}

overrides("counts when it is the app's own", () => {
  assert.equal(
    overridden({ deeplinkUrl: "shop://product/7", ios: `${appStore}?ppid=x`, desktop: "https://shop.example/shoes" }),
    routing({
      deeplinkUrl: "shop://product/7",
      fallbackPaths: { ...noFallbacks, ios: `${appStore}?ppid=x`, desktop: "https://shop.example/shoes" },
    }),
  );
});

overrides("counts on the app's redirect hosts", () => {
  const app = { ...shop, redirectHosts: ["News.example"] };
  assert.is(overridden({ deeplinkUrl: "https://news.example/1" }, app).deeplinkUrl, "https://news.example/1");
});

overrides("on a store's host is that of the link's or the app's own app", () => {
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

overrides("on a store's host counts where the app names that host", () => {
  const android = "https://play.google.com/store/apps/details?id=other.app";
  const app = { ...shop, redirectHosts: ["play.google.com"] };
  assert.is(overridden({ android }, app).fallbackPaths.android, android);
});

overrides("never turns https into http, unless the link itself leads to that host by http", () => {
  const app = { ...shop, redirectHosts: ["news.example"] };
  for (const desktop of ["http://shop.example/shoes", "http://news.example/1"]) {
    assert.is(overridden({ desktop }, app).fallbackPaths.desktop, null, desktop);
  }
  const plain = { ...shop, desktopUrl: "http://shop.example/" };
  for (const desktop of ["http://shop.example/shoes", "https://shop.example/shoes"]) {
    assert.is(overridden({ desktop }, plain).fallbackPaths.desktop, desktop);
  }
});

overrides("may name a store", () => {
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
  overrides(`does not count when it is not: ${JSON.stringify(hostile)}`, () => {
    assert.equal(
      overridden({ deeplinkUrl: hostile, ios: hostile, android: hostile, desktop: hostile }),
      routing({ deeplinkUrl: "shop://sale" }),
    );
  });
}

platforms.run();
ways.run();
totality.run();
overrides.run();
