import { mountRoutes, type RouteDeps } from "../../infra/http/routing/mount-routes.ts";
import type { Route } from "../../infra/http/routing/route.ts";
import { addErrorHandlers } from "../../infra/http/server/error-handler.ts";
import { createHttpApp, securityHeaders } from "../../infra/http/server/http-app.ts";
import { listen } from "../../infra/http/server/http-server.ts";
import { otherShop, type Principals, principals, servedShop } from "./application.ts";
import { type Answer, type Client, clientOf } from "./raw-client.ts";
import { testRouteDocs } from "./test-route-docs.ts";

export interface ServedRoutes {
  /** Tokens: {@link principals}. */
  readonly call: Client;
  readonly port: number;
  /** What was answered with 500 or 503, in order. */
  readonly failures: unknown[];
  close(): Promise<void>;
}

/** Routes on an HTTP server, without stores: the tokens are {@link principals}, the apps the shop and another one. */
export async function serveRoutes(routes: readonly Route[], deps: Partial<RouteDeps> = {}): Promise<ServedRoutes> {
  const failures: unknown[] = [];
  const known: Principals = principals;
  const apps = [servedShop, otherShop];
  const all: RouteDeps = {
    authenticate: async (authorization, admit) => {
      const principal = known[/^Bearer (\w+)$/i.exec(authorization ?? "")?.[1] ?? ""];
      if (principal === undefined && !admit()) return "limited";
      return principal ?? (authorization === undefined ? "missing" : "unknown");
    },
    findApp: async (name) => apps.find((app) => app.name === name) ?? null,
    findAppById: async (appId) => apps.find((app) => app.appId === appId) ?? null,
    appNames: () => apps.map((app) => app.name),
    operatorConfigured: true,
    rateLimiter: null,
    waitForPosition: async () => true,
    failed: (failure) => void failures.push(failure),
    ...deps,
  };
  const app = createHttpApp();
  app.use(securityHeaders());
  mountRoutes(app, routes, all);
  addErrorHandlers(app, all);
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  return {
    call: clientOf(server.port, !routes.some(({ docs }) => docs === testRouteDocs)),
    port: server.port,
    failures,
    close: () => server.close(AbortSignal.timeout(1_000)),
  };
}

/** Status and code of a response: what clients branch on. */
export function outcomeOf({ status, json }: Answer): string {
  return `${status} ${(json as { readonly code?: string } | null)?.code ?? ""}`.trim();
}
