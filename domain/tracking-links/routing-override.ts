import { type Destination, ownerOf, readDestination, readWebAddress } from "./destination.ts";
import type { Routing } from "./events.ts";
import { deeplinkOf } from "./routing.ts";
import { type AppAddresses, appStoreWord, fallbackDestination, googlePlayWord, type Platform } from "./stores.ts";

/** Destinations that a URL asks for in place of the link's own (contract/tracking-links.md#url-parameters). */
export interface RoutingOverride {
  readonly deeplinkUrl?: string;
  readonly ios?: string;
  readonly android?: string;
  readonly desktop?: string;
}

const platforms = ["ios", "android", "desktop"] as const satisfies readonly Platform[];
const storeWords: { readonly [platform in Platform]: readonly string[] } = {
  ios: [appStoreWord],
  android: [googlePlayWord],
  desktop: [appStoreWord, googlePlayWord],
};

/**
 * The routing of one click (contract/tracking-links.md#url-parameters). A value of the URL counts only when it is a
 * destination that links may have and its host or app scheme is one of the link's own or of the app's `redirectHosts`:
 * nobody can send visitors elsewhere.
 */
export function overriddenRouting(routing: Routing, override: RoutingOverride, app: AppAddresses): Routing {
  const owners = ownersOf(routing, app);
  const belongs = (destination: Destination | string): boolean =>
    typeof destination !== "string" && owners.has(ownerOf(destination));
  const { deeplinkUrl } = override;
  const fallbackPaths = { ...routing.fallbackPaths };
  for (const platform of platforms) {
    const path = override[platform];
    if (path === undefined) continue;
    if (storeWords[platform].includes(path) || belongs(readWebAddress(path))) fallbackPaths[platform] = path;
  }
  return {
    deeplinkUrl: deeplinkUrl !== undefined && belongs(readDestination(deeplinkUrl)) ? deeplinkUrl : routing.deeplinkUrl,
    fallbackPaths,
  };
}

function ownersOf(routing: Routing, app: AppAddresses): ReadonlySet<string> {
  const owners = new Set(app.redirectHosts.map((host) => host.toLowerCase()));
  const own = [
    deeplinkOf(routing),
    ...platforms.map((platform) => fallbackDestination(platform, routing.fallbackPaths, app)),
  ];
  for (const destination of own) if (destination !== null) owners.add(ownerOf(destination));
  return owners;
}
