import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { detectOs, osOfUserAgent } from "../../../domain/touchpoints/operating-system.ts";
import { clickTargets, platformOf } from "../../../domain/tracking-links/click-targets.ts";
import type { Routing } from "../../../domain/tracking-links/events.ts";
import type { AppAddresses } from "../../../domain/tracking-links/stores.ts";
import { shop } from "../../examples/app.ts";
import { noFallbacks, userAgents } from "../../examples/tracking-links.ts";
import { addresses, appStore, openPageUrl, routing } from "./routings.ts";

const googlePlay = "https://play.google.com/store/apps/details?id=example.shop";
const nowhere: AppAddresses = {
  iosStoreId: null,
  iosStoreUrl: null,
  androidPackage: null,
  androidStoreUrl: null,
  desktopUrl: null,
  redirectHosts: [],
};

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

platforms.run();
targets.run();
totality.run();
