import type { OperatingSystem } from "../touchpoints/events.ts";
import { type ClickUrl, clickUrl } from "./click-url.ts";
import { type Destination, readDestination, readWebAddress } from "./destination.ts";
import { ownerOf } from "./destination-owner.ts";
import type { Routing } from "./events.ts";
import { type AppAddresses, fallbackDestination, type Platform, platforms, storeKeywords, storesOf } from "./stores.ts";

/** Where a click leads. */
export type ClickTarget =
  | { readonly kind: "redirect"; readonly to: ClickUrl }
  /** A page that tries the app, then the fallback. */
  | { readonly kind: "open_app"; readonly deeplink: ClickUrl; readonly fallback: ClickUrl };

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
    const fallback = clickUrl(
      fallbackDestination(platform, routing.fallbackPaths, app) ?? { kind: "web", url: new URL(openPageUrl) },
    );
    if (deeplink === null || platform === "desktop") return { kind: "redirect", to: fallback };
    if (deeplink.kind === "web") return { kind: "redirect", to: clickUrl(deeplink) };
    return { kind: "open_app", deeplink: clickUrl(deeplink), fallback };
  };
  return { ios: target("ios"), android: target("android"), desktop: target("desktop") };
}

/** The parsed deeplink; null if the link has none or an invalid one. */
function deeplinkOf(routing: Pick<Routing, "deeplinkUrl">): Destination | null {
  const destination = routing.deeplinkUrl === null ? null : readDestination(routing.deeplinkUrl);
  return typeof destination === "string" ? null : destination;
}

/** Destinations in a URL that replace the link's own (contract/tracking-links.md#url-parameters). */
export interface RoutingOverride {
  readonly deeplinkUrl?: string;
  readonly ios?: string;
  readonly android?: string;
  readonly desktop?: string;
}

/**
 * The routing of one click (contract/tracking-links.md#url-parameters). To avoid open redirects, a destination in the
 * URL is used only if it is valid and has the same owner as a destination of the link, or is on one of the app's
 * `redirectHosts`.
 */
export function overriddenRouting(routing: Routing, override: RoutingOverride, app: AppAddresses): Routing {
  const belongs = allowedDestinations(routing, app);
  const stores = storesOf(app);
  const { deeplinkUrl } = override;
  const fallbackPaths = { ...routing.fallbackPaths };
  for (const platform of platforms) {
    const path = override[platform];
    if (path === undefined) continue;
    const isStore = storeKeywords[platform].includes(path) && stores.includes(path);
    if (isStore || belongs(readWebAddress(path))) fallbackPaths[platform] = path;
  }
  return {
    deeplinkUrl: deeplinkUrl !== undefined && belongs(readDestination(deeplinkUrl)) ? deeplinkUrl : routing.deeplinkUrl,
    fallbackPaths,
  };
}

/** Whether a destination may replace one of the link's own. `http` is allowed only where the link itself uses it. */
function allowedDestinations(routing: Routing, app: AppAddresses): (destination: Destination | string) => boolean {
  const hosts = new Set(app.redirectHosts.map((host) => host.toLowerCase()));
  const owners = new Set<string>();
  const own = [
    deeplinkOf(routing),
    ...platforms.map((platform) => fallbackDestination(platform, routing.fallbackPaths, app)),
  ];
  for (const destination of own) {
    if (destination === null) continue;
    const owner = ownerOf(destination);
    owners.add(owner);
    owners.add(owner.replace(/^http:/, "https:"));
  }
  return (destination) => {
    if (typeof destination === "string") return false;
    if (owners.has(ownerOf(destination))) return true;
    return destination.kind === "web" && destination.url.protocol === "https:" && hosts.has(destination.url.host);
  };
}
