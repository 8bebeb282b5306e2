/** What the paths begin with that are not links': the API's, those still to come included, and the operations'. */
export const servedPaths = [
  ...["admin", "custom-data-upload", "dataspec", "entry", "events", "log-export", "reports", "self-serve-data"],
  ...["skadnetwork", "v1"],
  ...["docs", "livez", "metrics", "open", "openapi.json", "readyz", "version"],
] as const;

/**
 * The path at which links would hide the API, or parts of it; null when they would not. An address with another host or
 * port than the API's hides nothing: requests are told apart by it (contract/http.md#hosts). Otherwise its path must
 * not be, hold or lie below one of {@link servedPaths}, neither where this server has it nor where clients of `baseUrl`
 * do. Case counts, as in every path.
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
