import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Fault, fault } from "../../../domain/fault.ts";
import { linkFaults } from "../../../domain/tracking-links/link-request.ts";
import { routingFaults } from "../../../domain/tracking-links/routing.ts";
import { overriddenRouting } from "../../../domain/tracking-links/routing-override.ts";
import {
  type AppAddresses,
  fallbackDestination,
  pathInForce,
  storesOf,
} from "../../../domain/tracking-links/stores.ts";
import { shop } from "../../examples/app.ts";
import { noFallbacks } from "../../examples/tracking-links.ts";

const stores = suite("an app's pages in the stores");
const ownPages = {
  iosStoreUrl: "https://apps.apple.com/kr/app/shop/id987654321",
  androidStoreUrl: "https://play.google.com/store/apps/details?id=example.shop.kr&hl=ko",
};
const noIds = { iosStoreId: null, androidPackage: null };

/** Where visitors on iOS, on Android and on desktops are sent, the latter to the store that the link names. */
function pages(app: AppAddresses, desktop: string | null = null, paths = noFallbacks): readonly (string | undefined)[] {
  const at = { ...paths, desktop };
  return (["ios", "android", "desktop"] as const).map((platform) => fallbackDestination(platform, at, app)?.url.href);
}

stores("are those of its ids", () => {
  const [appStore, googlePlay] = [
    "https://apps.apple.com/app/id123456789",
    "https://play.google.com/store/apps/details?id=example.shop",
  ];
  assert.equal(pages(shop), [appStore, googlePlay, "https://shop.example/"]);
  assert.equal(pages(shop, "itunes-appstore"), [appStore, googlePlay, appStore]);
  assert.equal(pages(shop, "google-play"), [appStore, googlePlay, googlePlay]);
});

for (const [ids, app] of [
  ["in place of those of its ids", { ...shop, ...ownPages }],
  ["also where it has no ids", { ...shop, ...noIds, ...ownPages }],
] as const) {
  stores(`are the addresses that it names, ${ids}`, () => {
    const { iosStoreUrl, androidStoreUrl } = ownPages;
    assert.equal(pages(app), [iosStoreUrl, androidStoreUrl, "https://shop.example/"]);
    assert.equal(pages(app, "itunes-appstore"), [iosStoreUrl, androidStoreUrl, iosStoreUrl]);
    assert.equal(pages(app, "google-play"), [iosStoreUrl, androidStoreUrl, androidStoreUrl]);
  });
}

stores("are independent of each other", () => {
  const { iosStoreUrl, androidStoreUrl } = ownPages;
  assert.equal(pages({ ...shop, ...noIds, iosStoreUrl }), [iosStoreUrl, undefined, "https://shop.example/"]);
  assert.equal(pages({ ...shop, ...noIds, androidStoreUrl }), [undefined, androidStoreUrl, "https://shop.example/"]);
});

stores("show the page that the link chose, at an address of the app's own too", () => {
  const option = { iosCustomProductPageId: "page", androidCustomStoreListing: "spring" };
  assert.equal(pages({ ...shop, ...ownPages }, null, { ...noFallbacks, option }), [
    `${ownPages.iosStoreUrl}?ppid=page`,
    `${ownPages.androidStoreUrl}&listing=spring`,
    "https://shop.example/",
  ]);
});

stores("are none where the app has none", () => {
  assert.equal(pages({ ...shop, ...noIds, desktopUrl: null }), [undefined, undefined, undefined]);
  assert.equal(pages({ ...shop, ...noIds, desktopUrl: null }, "itunes-appstore"), [undefined, undefined, undefined]);
});

stores("that the app has left give way to its own page, where it has one", () => {
  assert.equal(pages({ ...shop, ...noIds }, "itunes-appstore"), [undefined, undefined, "https://shop.example/"]);
});

stores("are the defaults of a link as far as the app has them", () => {
  const defaults = (app: AppAddresses) =>
    (["ios", "android", "desktop"] as const).map((platform) => pathInForce(platform, noFallbacks, app));
  assert.equal(defaults(shop), ["itunes-appstore", "google-play", "https://shop.example/"]);
  assert.equal(defaults({ ...shop, ...noIds, ...ownPages }).slice(0, 2), ["itunes-appstore", "google-play"]);
  assert.equal(defaults({ ...shop, ...noIds, desktopUrl: null }), [null, null, null]);
});

const words = suite("the words for an app's stores");

/** Each row: the platform, the word, whether it may stand there. */
for (const [platform, word, isTaken] of [
  ["ios", "itunes-appstore", true],
  ["ios", "google-play", false],
  ["android", "itunes-appstore", false],
  ["android", "google-play", true],
  ["desktop", "itunes-appstore", true],
  ["desktop", "google-play", true],
  ["ios", "ITUNES-APPSTORE", false],
  ["android", "Google-Play", false],
  ["android", " google-play", false],
  ["desktop", "app-store", false],
] as const) {
  words(`${JSON.stringify(word)} ${isTaken ? "is" : "is no"} fallback of ${platform}, in a link or its URL`, () => {
    const fallbackPaths = { [platform]: word };
    const faultyFields = (faults: readonly Fault[]) => faults.map(({ path }) => path);
    const faulty = isTaken ? [] : [["fallbackPaths", platform]];
    assert.equal(faultyFields(linkFaults({ channel: "x", fallbackPaths }, storesOf(shop))), faulty);
    assert.equal(faultyFields(routingFaults({ fallbackPaths }, storesOf(shop))), faulty);

    const routing = { deeplinkUrl: null, fallbackPaths: noFallbacks };
    const expected = isTaken ? { ...routing, fallbackPaths: { ...noFallbacks, [platform]: word } } : routing;
    assert.equal(overriddenRouting(routing, { [platform]: word }, shop), expected);
  });
}

for (const [platform, word, code, app] of [
  ["ios", "itunes-appstore", "store_missing.ios", { ...shop, iosStoreId: null }],
  ["android", "google-play", "store_missing.android", { ...shop, androidPackage: null }],
  ["desktop", "itunes-appstore", "store_missing.ios", { ...shop, iosStoreId: null }],
  ["desktop", "google-play", "store_missing.android", { ...shop, androidPackage: null }],
] as const) {
  words(`${word} is no fallback of ${platform} where the app is not in that store`, () => {
    const fallbackPaths = { [platform]: word };
    assert.equal(routingFaults({ fallbackPaths }, storesOf(app)), [fault(code, ["fallbackPaths", platform])]);
    assert.equal(routingFaults({ fallbackPaths }, storesOf({ ...app, ...ownPages })), []);
    const routing = { deeplinkUrl: null, fallbackPaths: noFallbacks };
    assert.equal(overriddenRouting(routing, { [platform]: word }, app), routing);
  });
}

words("are named to a caller who sends another word", () => {
  assert.equal(routingFaults({ fallbackPaths: { ios: "google-play" } }, storesOf(shop)), [
    fault("destination_not_absolute.or_store", ["fallbackPaths", "ios"], { known: "itunes-appstore" }),
  ]);
});

stores.run();
words.run();
