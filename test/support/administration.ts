import { createAppDirectory } from "../../commands/apps/app-directory.ts";
import { channelFinder } from "../../commands/channels/find-channel.ts";
import { administrationRoutes } from "../../commands/command-api.ts";
import { createTokenCheck } from "../../commands/tokens/token-check.ts";
import { registeredChannelsReader } from "../../infra/composition/registered-channels.ts";
import type { RateLimiter } from "../../infra/http/routing/rate-limiter.ts";
import { createHttpApp } from "../../infra/http/server/http-app.ts";
import type { SecurityLog } from "../../infra/process/security-log.ts";
import { appsProjection } from "../../projections/apps/projection.ts";
import type { Projection } from "../../projections/projection.ts";
import { administrationReadRoutes } from "../../read-api/read-api.ts";
import { type Application, type Parts, startApplication } from "./application.ts";
import { startTestLog } from "./event-store.ts";

export const adminToken = "operator-token-of-the-tests-0123456789";

export interface Administration extends Application {
  /** Registers an app as the operator; returns its id and the texts of its tokens. */
  registerApp(name: string): Promise<{ readonly id: number; readonly tokens: Readonly<Record<string, string>> }>;
}

export interface AdministrationOptions {
  /** Served beside the administration's own. */
  readonly routes?: Parts["routes"];
  /** Applied beside the administration's own. */
  readonly projections?: readonly Projection[];
  readonly lastUsesOf?: (tokenIds: readonly string[]) => ReadonlyMap<string, Date>;
  readonly rateLimiter?: RateLimiter;
  readonly secured?: SecurityLog;
  readonly adminToken?: string | null;
  readonly trustedProxies?: readonly string[];
}

/** Apps, tokens, channels and settings over HTTP, with the tokens and apps of the log instead of the examples. */
export async function startAdministration(options: AdministrationOptions = {}): Promise<Administration> {
  const { routes = [], projections = [], rateLimiter = null, secured = () => {}, trustedProxies } = options;
  const token = options.adminToken === undefined ? adminToken : options.adminToken;
  const { log, stopStore, close } = await startTestLog();
  const apps = createAppDirectory(log);
  const application = await startApplication({
    log,
    projections: [appsProjection, ...projections],
    app: () => createHttpApp(trustedProxies),
    routes: (foundation) => [
      ...administrationRoutes({
        log: foundation.log,
        refreshApps: apps.refresh,
        findChannel: channelFinder(
          foundation.log,
          registeredChannelsReader(async () => foundation.readModel()),
        ),
      }),
      ...administrationReadRoutes({
        live: async () => foundation.readModel(),
        lastUsesOf: async (tokenIds) => options.lastUsesOf?.(tokenIds) ?? new Map(),
      }),
      ...(typeof routes === "function" ? routes(foundation) : routes),
    ],
    deps: () => ({
      authenticate: createTokenCheck(log, token),
      findApp: apps.findApp,
      findAppById: apps.findAppById,
      appNames: apps.appNames,
      operatorConfigured: token !== null,
      rateLimiter,
      secured,
    }),
  });
  return {
    ...application,
    registerApp: async (name) => {
      const body = { name, timezone: "Asia/Seoul", currency: "KRW", ownerEmail: "owner@shop.example" };
      const { status, json } = await application.call("POST", "/admin/v1/apps", { token: token ?? "", body });
      if (status !== 201) throw new Error(`The app was not registered: ${JSON.stringify(json)}`);
      const { data } = json as { data: { app: { id: number }; tokens: Record<string, string> } };
      return { id: data.app.id, tokens: data.tokens };
    },
    stopStore,
    close: async () => {
      await application.close();
      await close();
    },
  };
}
