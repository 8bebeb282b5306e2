import { deeplinkOf } from "./click-targets.ts";
import { type Destination, readDestination, readWebAddress } from "./destination.ts";
import { ownerOf } from "./destination-owner.ts";
import type { Routing } from "./events.ts";
import { type AppAddresses, fallbackDestination, platforms, storeKeywords, storesOf } from "./stores.ts";

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
