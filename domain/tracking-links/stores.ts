import type { AppSettings } from "../apps/events.ts";
import { type Destination, readWebAddress } from "./destination.ts";
import type { FallbackPaths } from "./events.ts";

export const platforms = ["ios", "android", "desktop"] as const;
export type Platform = (typeof platforms)[number];

/** The settings of an app that routing depends on. */
export type AppAddresses = Pick<
  AppSettings,
  "iosStoreId" | "iosStoreUrl" | "androidPackage" | "androidStoreUrl" | "desktopUrl" | "redirectHosts"
>;

export const appStore = "itunes-appstore";
const googlePlay = "google-play";

/** Fallbacks that stand for the app's own store page (contract/tracking-links.md#destinations). */
export const storeKeywords: { readonly [platform in Platform]: readonly string[] } = {
  ios: [appStore],
  android: [googlePlay],
  desktop: [googlePlay, appStore],
};

export const appStoreHosts: ReadonlySet<string> = new Set(["apps.apple.com", "itunes.apple.com"]);
export const googlePlayHost = "play.google.com";

type WebDestination = Extract<Destination, { kind: "web" }>;

/**
 * Where a platform's clicks lead without a deeplink (contract/tracking-links.md#destinations); null if neither the link
 * nor the app names a destination.
 */
export function fallbackDestination(
  platform: Platform,
  paths: FallbackPaths,
  app: AppAddresses,
): WebDestination | null {
  const path = pathInForce(platform, paths, app);
  if (path === null) return null;
  if (path === appStore) return storePage(appStoreUrl(app), "ppid", paths.option.iosCustomProductPageId);
  if (path === googlePlay) return storePage(googlePlayUrl(app), "listing", paths.option.androidCustomStoreListing);
  return withOption(webDestination(path), paths.option);
}

/** A store URL given as the fallback gets the link's custom page as well. */
function withOption(page: WebDestination | null, option: FallbackPaths["option"]): WebDestination | null {
  const host = page?.url.hostname ?? "";
  if (appStoreHosts.has(host)) return withParameter(page, "ppid", option.iosCustomProductPageId);
  return host === googlePlayHost ? withParameter(page, "listing", option.androidCustomStoreListing) : page;
}

/** The keywords of the stores that an app is in. */
export function storesOf(app: AppAddresses): readonly string[] {
  return [
    ...(storePage(appStoreUrl(app), "ppid", null) === null ? [] : [appStore]),
    ...(storePage(googlePlayUrl(app), "listing", null) === null ? [] : [googlePlay]),
  ];
}

/** A link's own fallback, unless it names a store that the app has left; else the app's; null: there is none. */
export function pathInForce(platform: Platform, paths: FallbackPaths, app: AppAddresses): string | null {
  const own = paths[platform];
  const isLeftStore = own !== null && storeKeywords[platform].includes(own) && !storesOf(app).includes(own);
  return own === null || isLeftStore ? defaultPath(platform, app) : own;
}

/** The fallback of a link that has none of its own (contract/tracking-links.md#destinations); null: the app has none. */
function defaultPath(platform: Platform, app: AppAddresses): string | null {
  if (platform === "desktop") return app.desktopUrl;
  if (platform === "ios") return appStoreUrl(app) === null ? null : appStore;
  return googlePlayUrl(app) === null ? null : googlePlay;
}

function appStoreUrl(app: AppAddresses): string | null {
  if (app.iosStoreUrl !== null) return app.iosStoreUrl;
  return app.iosStoreId === null ? null : `https://apps.apple.com/app/id${encodeURIComponent(app.iosStoreId)}`;
}

function googlePlayUrl(app: AppAddresses): string | null {
  if (app.androidStoreUrl !== null) return app.androidStoreUrl;
  if (app.androidPackage === null) return null;
  return `https://play.google.com/store/apps/details?id=${encodeURIComponent(app.androidPackage)}`;
}

function storePage(url: string | null, parameter: string, value: string | null): WebDestination | null {
  return withParameter(url === null ? null : webDestination(url), parameter, value);
}

function withParameter(page: WebDestination | null, parameter: string, value: string | null): WebDestination | null {
  if (page !== null && value !== null) page.url.searchParams.set(parameter, value);
  return page;
}

function webDestination(text: string): WebDestination | null {
  const destination = readWebAddress(text);
  return typeof destination === "string" ? null : destination;
}
