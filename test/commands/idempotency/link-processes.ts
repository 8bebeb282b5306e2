import { createKeyedRequests } from "../../../commands/idempotency/keyed-requests.ts";
import { problemOfCommandFailure } from "../../../commands/problems.ts";
import { reportTaskRoutes } from "../../../commands/report-tasks/routes.ts";
import { trackingLinkRoutes } from "../../../commands/tracking-links/routes.ts";
import { registeredApp } from "../../../domain/apps/registered-app.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import { reports } from "../../../infra/composition/report-modules.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { mountRoutes } from "../../../infra/http/routing/mount-routes.ts";
import type { RateLimiter } from "../../../infra/http/routing/rate-limits.ts";
import { endHttpApp } from "../../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../../infra/http/server/http-app.ts";
import { listen } from "../../../infra/http/server/http-server.ts";
import { shop } from "../../examples/app.ts";
import { type Client, clientOf } from "../../support/client.ts";

const served = registeredApp(shop, "2026-01-01T00:00:00.000Z");

export interface LinkProcess {
  /** Tokens: `owner`, `agency`, `media_partner`, `link` of the shop, `other_owner` of another app. */
  readonly call: Client;
  close(): Promise<void>;
}

/** Links and reports over HTTP, as one of many processes on a log has them. */
export async function startLinkProcess(
  log: EventLog,
  { now, rateLimiter = null }: { readonly now?: () => Date; readonly rateLimiter?: RateLimiter | null } = {},
): Promise<LinkProcess> {
  const deps = {
    authenticate: async (authorization: string | undefined) => principalOf(authorization?.slice("Bearer ".length)),
    findApp: async (name: string) => (name === served.name ? served : null),
    findAppById: async (appId: number) => ({ ...served, appId }),
    operatorConfigured: true,
    rateLimiter,
    keyed: createKeyedRequests({ log, ...(now === undefined ? {} : { now }) }),
    passed: async () => true,
    problemOf: problemOfCommandFailure,
    failed: () => {},
  };
  const app = createHttpApp();
  const routes = [
    ...trackingLinkRoutes({ log, channelProfile: () => null, linkBaseUrl: "https://l.example", onLinkCreated() {} }),
    ...reportTaskRoutes({
      log,
      reports,
      openBesides: async () => 0,
      uploadedMetrics: async () => [],
      momentOf: async () => ({ outcome: "ahead" }),
    }),
  ];
  mountRoutes(app, routes, deps);
  endHttpApp(app, deps);
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  return { call: clientOf(server.port), close: () => server.close(AbortSignal.timeout(1_000)) };
}

function principalOf(token: string | undefined): Principal | "unknown" | "missing" {
  const known = { tokenId: `id-of-${token}`, kind: "token", appId: shop.appId, channels: [] } as const;
  switch (token) {
    case undefined:
      return "missing";
    case "owner":
    case "agency":
    case "media_partner":
      return { ...known, tokenKind: "api", role: token };
    case "other_owner":
      return { ...known, tokenKind: "api", role: "owner", appId: 2 };
    case "link":
      return { ...known, tokenKind: "link", role: null };
    default:
      return "unknown";
  }
}
