/** First segments of paths that are not links: those of the API, including reserved ones, and of monitoring. */
export const servedPaths = [
  ...["admin", "custom-data-upload", "dataspec", "entry", "events", "log-export", "reports", "self-serve-data"],
  ...["skadnetwork", "v1"],
  ...["docs", "livez", "metrics", "open", "openapi.json", "readyz", "version"],
] as const;

/**
 * The path at which links would hide the API or a part of it; null when they would not. Links on another host or port
 * hide nothing (contract/http.md#hosts). Otherwise their path must not equal, contain or lie below one of
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
