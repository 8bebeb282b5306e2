import type { OperatingSystem } from "../touchpoints/events.ts";
import { type ClickDestination, clickDestination } from "./click-destination.ts";
import { type Destination, readDestination } from "./destination.ts";
import type { Routing } from "./events.ts";
import { type AppAddresses, fallbackDestination, type Platform } from "./stores.ts";

/** Where a click leads. */
export type ClickTarget =
  | { readonly kind: "redirect"; readonly to: ClickDestination }
  /** A page that tries the app, then the fallback. */
  | { readonly kind: "open_app"; readonly deeplink: ClickDestination; readonly fallback: ClickDestination };

/** Where the clicks of a link lead on each platform. */
export type ClickTargets = { readonly [platform in Platform]: ClickTarget };

/** The platform by which a client is routed (contract/tracking-links.md#opening); desktop if its system is unknown. */
export function platformOf(os: OperatingSystem | null): Platform {
  if (os === "iOS") return "ios";
  return os === "Android" ? "android" : "desktop";
}

/**
 * Where a link leads on each platform (contract/tracking-links.md#opening). `openPageUrl` is the fallback when neither the
 * link nor the app has a usable destination.
 */
export function clickTargets(routing: Routing, app: AppAddresses, openPageUrl: string): ClickTargets {
  const deeplink = deeplinkOf(routing);
  const target = (platform: Platform): ClickTarget => {
    const fallback = clickDestination(
      fallbackDestination(platform, routing.fallbackPaths, app) ?? { kind: "web", url: new URL(openPageUrl) },
    );
    if (deeplink === null || platform === "desktop") return { kind: "redirect", to: fallback };
    if (deeplink.kind === "web") return { kind: "redirect", to: clickDestination(deeplink) };
    return { kind: "open_app", deeplink: clickDestination(deeplink), fallback };
  };
  return { ios: target("ios"), android: target("android"), desktop: target("desktop") };
}

/** The parsed deeplink; null if the link has none or an invalid one. */
export function deeplinkOf(routing: Pick<Routing, "deeplinkUrl">): Destination | null {
  const destination = routing.deeplinkUrl === null ? null : readDestination(routing.deeplinkUrl);
  return typeof destination === "string" ? null : destination;
}
