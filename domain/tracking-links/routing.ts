import type { OperatingSystem } from "../touchpoints/events.ts";
import { type ClickUrl, clickUrl } from "./click-url.ts";
import { type Destination, readDestination } from "./destination.ts";
import type { Routing } from "./events.ts";
import { type AppAddresses, fallbackDestination, type Platform } from "./stores.ts";

/** What a click is answered with. */
export type ClickTarget =
  | { readonly kind: "redirect"; readonly to: ClickUrl }
  /** A page that tries the app and then the fallback. */
  | { readonly kind: "open_app"; readonly deeplink: ClickUrl; readonly fallback: ClickUrl };

/** A link's ways, one for every platform. */
export type ClickTargets = { readonly [platform in Platform]: ClickTarget };

/**
 * The platform that visitors with a system are answered as (contract/tracking-links.md#opening); those of whom nothing
 * is known, as desktops.
 */
export function platformOf(os: OperatingSystem | null): Platform {
  if (os === "iOS") return "ios";
  return os === "Android" ? "android" : "desktop";
}

/**
 * How each platform's visitors are answered (contract/tracking-links.md#opening). Total: whatever the link and the app
 * hold, there is a way; `openPage` is the last.
 */
export function clickTargets(routing: Routing, app: AppAddresses, openPage: string): ClickTargets {
  const deeplink = deeplinkOf(routing);
  const way = (platform: Platform): ClickTarget => {
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
