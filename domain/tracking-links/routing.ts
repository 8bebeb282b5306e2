import { type ClickUrl, clickUrl } from "./click-url.ts";
import { type Destination, readDestination } from "./destination.ts";
import type { Routing } from "./events.ts";
import { type AppAddresses, fallbackDestination, type Platform } from "./stores.ts";

/** What a click is answered with. */
export type Way =
  | { readonly kind: "redirect"; readonly to: ClickUrl }
  /** A page that tries the app and then the fallback. */
  | { readonly kind: "open_app"; readonly deeplink: ClickUrl; readonly fallback: ClickUrl };

/** A link's ways, one for every platform. */
export type Ways = { readonly [platform in Platform]: Way };

/**
 * The platform of a visitor: what the browser's `Sec-CH-UA-Platform` says, else its user agent. Every visitor has one;
 * what is neither iOS nor Android is desktop.
 */
export function platformOf(userAgent: string, platformHint: string | null): Platform {
  if (platformHint !== null) {
    if (platformHint.includes("Android")) return "android";
    if (platformHint.includes("iOS")) return "ios";
  }
  // Windows Phone claims to be both.
  if (userAgent.includes("Windows Phone")) return "desktop";
  if (userAgent.includes("iPhone") || userAgent.includes("iPad") || userAgent.includes("iPod")) return "ios";
  return userAgent.includes("Android") ? "android" : "desktop";
}

/**
 * D4.5: how each platform's visitors are answered. Total: whatever the link and the app hold, there is a way;
 * `openPage` is the last.
 */
export function waysOf(routing: Routing, app: AppAddresses, openPage: string): Ways {
  const deeplink = deeplinkOf(routing);
  const way = (platform: Platform): Way => {
    const fallback = clickUrl(
      fallbackDestination(platform, routing.fallbackPaths, app) ?? { kind: "web", url: new URL(openPage) },
    );
    if (deeplink === null || platform === "desktop") return { kind: "redirect", to: fallback };
    if (deeplink.kind === "web") return { kind: "redirect", to: clickUrl(deeplink) };
    return { kind: "open_app", deeplink: clickUrl(deeplink), fallback };
  };
  return { ios: way("ios"), android: way("android"), desktop: way("desktop") };
}

/** The link's deeplink; null when it has none that may be opened. */
export function deeplinkOf(routing: Pick<Routing, "deeplinkUrl">): Destination | null {
  const destination = routing.deeplinkUrl === null ? null : readDestination(routing.deeplinkUrl);
  return typeof destination === "string" ? null : destination;
}
