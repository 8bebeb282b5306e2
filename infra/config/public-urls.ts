import { parsedUrl } from "../../domain/values/url.ts";
export type PublicAddress = { readonly address: string } | { readonly fault: string };

const schemes = ["http://", "https://"];
const noHost = "must have a host, and no port but one from 1 to 65535, as https://links.example:8443/l has";

/**
 * Normalises an address of this server: scheme and host in lower case, no default port, no dot after the host, no final
 * slash. A fault for addresses that no path can be appended to, or that cannot be called.
 */
export function publicAddress(text: string): PublicAddress {
  if (/[\s\p{Cc}\\]/u.test(text)) return { fault: "must have no spaces, control characters or backslashes" };
  if (!schemes.some((scheme) => text.toLowerCase().startsWith(scheme))) {
    return { fault: `must be an address that starts with ${schemes.join(" or ")}` };
  }
  // Without a host, the URL class would take the first segment of the path for one.
  const url = /^\w+:\/\/\//.test(text) ? null : parsedUrl(text);
  if (url === null) return { fault: noHost };
  const { protocol, hostname, port, pathname, username, password } = url;
  if (username !== "" || password !== "" || /[?#]/.test(text)) {
    return { fault: "must be scheme, host and path only: no user, query or fragment" };
  }
  const host = hostname.replace(/\.$/, "");
  if (port === "0" || host.split(".").includes("")) return { fault: noHost };
  return { address: `${protocol}//${host}${port && `:${port}`}${pathname.replace(/\/+$/, "")}` };
}

/** First segments of paths that are not links: those of the API, including reserved ones, and of monitoring. */
export const servedPaths = [
  ...["admin", "custom-data-upload", "dataspec", "entry", "events", "log-export", "reports", "self-serve-data"],
  ...["skadnetwork", "v1"],
  ...[".well-known", "docs", "livez", "metrics", "open", "openapi.json", "readyz", "tl.js", "version"],
] as const;

/**
 * The path at which links would hide the API or a part of it; null when they hide none of it. Links on another host or
 * port hide none (contract/http.md#hosts). Otherwise their path must not equal, contain or lie below one of
 * {@link servedPaths}, neither at the root nor below the path of `baseUrl`. Paths are case-sensitive.
 */
export function hidingPath(baseUrl: string, linkBaseUrl: string): string | null {
  const [base, links] = [new URL(baseUrl), new URL(linkBaseUrl)];
  if (links.host !== base.host) return null;
  const path = withoutSlash(links.pathname);
  const roots = ["", withoutSlash(base.pathname)];
  const served = roots.flatMap((root) => servedPaths.map((name) => `${root}/${name}`));
  const hides = served.some((other) => isAtOrBelow(other, path) || isAtOrBelow(path, other));
  return hides ? path || "/" : null;
}

function isAtOrBelow(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}/`);
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "");
}
