import { problems } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse, route } from "../../infra/http/routing/route.ts";
import type { AppRow, TokenRow } from "../../projections/apps/queries.ts";

export interface AppQueries {
  registeredApps(): Promise<readonly AppRow[]>;
  tokensOf(appId: number): Promise<readonly TokenRow[]>;
}

/** Apps and their tokens without secrets (contract/administration.md#apps, contract/administration.md#tokens). */
export function appRoutes({ registeredApps, tokensOf }: AppQueries): readonly Route[] {
  return [
    route({
      method: "get",
      path: "/admin/v1/apps",
      operation: "operate",
      reads: "control",
      handle: async () => ok({ data: { apps: (await registeredApps()).map(shownApp) } }),
    }),
    route({
      method: "get",
      path: "/admin/v1/apps/:app_name",
      operation: "administer_app",
      handle: async ({ app }) => (app === null ? refuse(problems.appNotFound) : ok({ data: { app: shownApp(app) } })),
    }),
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name/tokens",
      operation: "administer_app",
      reads: "control",
      handle: async ({ app }) => {
        const tokens = await tokensOf(app.appId);
        return ok({ data: { tokens: tokens.map(({ tokenId, ...token }) => ({ id: tokenId, ...token })) } });
      },
    }),
  ];
}

/** An app as administrators see it: everything but the salt. */
function shownApp(app: Omit<AppRow, "registeredAt"> & { readonly registeredAt: string | Date }): object {
  return {
    id: app.appId,
    name: app.name,
    timezone: app.timezone,
    currency: app.currency,
    companyName: app.companyName,
    ownerEmail: app.ownerEmail,
    iosStoreId: app.iosStoreId,
    androidPackage: app.androidPackage,
    iosStoreUrl: app.iosStoreUrl,
    androidStoreUrl: app.androidStoreUrl,
    desktopUrl: app.desktopUrl,
    redirectHosts: app.redirectHosts,
    registeredAt: app.registeredAt,
  };
}
