/** The listener that an app is for: the only one, or one of two when operations have a port of their own. */
export type Listener = "only" | "public" | "operations";

/** Whether a listener serves links, the API, `/livez` and `/readyz`. */
export function servesPublic(listener: Listener): boolean {
  return listener !== "operations";
}

/** Whether a listener serves `/metrics`, `/version` and the paths below `/admin/v1` (contract/http.md#hosts). */
export function servesOperations(listener: Listener): boolean {
  return listener !== "public";
}

/** Whether a listener serves a route of the API. */
export function servesRoute(listener: Listener, path: string): boolean {
  return path.startsWith("/admin/v1/") ? servesOperations(listener) : servesPublic(listener);
}
