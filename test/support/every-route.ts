import { commandRoutes } from "../../commands/command-api.ts";
import { reports } from "../../infra/composition/report-modules.ts";
import { openEndpointsOf } from "../../infra/http/openapi/open-endpoints.ts";
import type { Route } from "../../infra/http/routing/route.ts";
import { downloadEndpoint } from "../../read-api/raw-exports/docs.ts";
import { readRoutes } from "../../read-api/read-api.ts";

/** Stands for what handlers use, which requests that are refused never reach. */
const unused: never = new Proxy(() => undefined, { get: () => unused, apply: () => unused }) as never;
/** Dependencies of which only some are known. */
const dependencies = (known: Readonly<Record<string, unknown>>): never =>
  new Proxy(known, { get: (_, name) => (Object.hasOwn(known, name) ? known[name as string] : unused) }) as never;

/** What takes no token, besides links. */
export const everyOpenEndpoint = [...openEndpointsOf("only"), downloadEndpoint];

/** The whole table of routes, for requests that no handler gets. */
export const everyRoute: readonly Route[] = [
  ...commandRoutes(
    dependencies({ reports, rateLimiter: null, baseUrl: "https://api.example", linkBaseUrl: "https://l.example" }),
  ),
  ...readRoutes(dependencies({ reports, baseUrl: "https://api.example", linkBaseUrl: "https://l.example" })),
];

/** The name of a route: `PATCH /v1/tracking-links/:id`. */
export function nameOf({ method, path }: Route): string {
  return `${method.toUpperCase()} ${path}`;
}
