import type { AppSettings } from "../apps/events.ts";
import { type Destination, readWebAddress } from "./destination.ts";
import type { FallbackPaths } from "./events.ts";

export type Platform = "ios" | "android" | "desktop";

/** What of an app decides where its visitors go. */
export type AppAddresses = Pick<
  AppSettings,
  "iosStoreId" | "iosStoreUrl" | "androidPackage" | "androidStoreUrl" | "desktopUrl" | "redirectHosts"
>;

/** Words that stand for an app's own page in a store (contract/tracking-links.md#destinations). */
export const appStoreWord = "itunes-appstore";
export const googlePlayWord = "google-play";

const appStoreHosts: ReadonlySet<string> = new Set(["apps.apple.com", "itunes.apple.com"]);
const googlePlayHost = "play.google.com";

type WebDestination = Extract<Destination, { kind: "web" }>;

/**
 * Where a platform's visitors go without a deeplink (contract/tracking-links.md#destinations); null when neither the
 * link nor the app names anything.
 */
export function fallbackDestination(
  platform: Platform,
  paths: FallbackPaths,
  app: AppAddresses,
): WebDestination | null {
  const path = paths[platform] ?? defaultPath(platform, app);
  if (path === null) return null;
  if (path === appStoreWord) return storePage(appStoreUrl(app), "ppid", paths.option.iosCustomProductPageId);
  if (path === googlePlayWord) return storePage(googlePlayUrl(app), "listing", paths.option.androidCustomStoreListing);
  return withOption(webDestination(path), paths.option);
}

/** A store's own address that stands in a link is a store page like any other: what the link asks of it is appended. */
function withOption(page: WebDestination | null, option: FallbackPaths["option"]): WebDestination | null {
  const host = page?.url.hostname ?? "";
  if (appStoreHosts.has(host)) return withParameter(page, "ppid", option.iosCustomProductPageId);
  return host === googlePlayHost ? withParameter(page, "listing", option.androidCustomStoreListing) : page;
}

/** The path that counts where a link has none of its own (contract/tracking-links.md#destinations). */
export function defaultPath(platform: Platform, app: Pick<AppAddresses, "desktopUrl">): string | null {
  switch (platform) {
    case "ios":
      return appStoreWord;
    case "android":
      return googlePlayWord;
    case "desktop":
      return app.desktopUrl;
  }
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
