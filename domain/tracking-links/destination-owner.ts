import { parsedUrl } from "../values/url.ts";
import type { Destination } from "./destination.ts";
import { appStoreHosts, googlePlayHost } from "./stores.ts";

/** Schemes that open a page of a store's app, parsed like a web address with this scheme. */
const storeSchemes: ReadonlySet<string> = new Set(["market", "itms", "itms-apps", "itms-appss", "macappstore"]);

const appStorePath = /^\/(?:[a-z]{2}\/)?app\/(?:[^/]+\/)?(id[A-Za-z0-9.]+)\/?$/;

/**
 * The owner of a destination: scheme and host with port, or the app's scheme. Stores have pages of any app, so the page
 * of an app has that app as its owner, and any other store page only itself. `routing-override.ts` compares owners.
 */
export function ownerOf(destination: Destination): string {
  if (destination.kind === "web") {
    const { protocol, host } = destination.url;
    return isStoreHost(host) ? storePageOwner(`${protocol}//${host}`, destination.url) : `${protocol}//${host}`;
  }
  const { scheme, uri } = destination;
  if (!storeSchemes.has(scheme)) return `${scheme}:`;
  const asWeb = parsedUrl(`https:${uri.slice(scheme.length + 1)}`);
  return asWeb === null ? uri : storePageOwner(`${scheme}://${asWeb.host}`, asWeb);
}

/** Whether a destination is a page of an app store. */
export function isStorePage(destination: Destination): boolean {
  return destination.kind === "web" ? isStoreHost(destination.url.host) : storeSchemes.has(destination.scheme);
}

function storePageOwner(origin: string, { pathname, search, searchParams }: URL): string {
  const [id, ...otherIds] = searchParams.getAll("id");
  const isOnePackage = id !== undefined && otherIds.length === 0;
  const isGooglePlayPage =
    pathname === "/store/apps/details" || (origin === "market://details" && /^\/?$/.test(pathname));
  if (isGooglePlayPage && isOnePackage) {
    return `${origin}${pathname.replace(/\/$/, "")}?id=${encodeURIComponent(id)}`;
  }
  const appStoreId = appStorePath.exec(pathname)?.[1];
  if (appStoreId !== undefined) return `${origin}/app/${appStoreId}`;
  return `${origin}${pathname.replace(/\/$/, "")}${search}`;
}

function isStoreHost(host: string): boolean {
  return host === googlePlayHost || appStoreHosts.has(host);
}
