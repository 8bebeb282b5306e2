import type { AppSettings } from "../../domain/apps/events.ts";
import { appRoute, ok, type Route, route } from "../../infra/http/routing/route.ts";
import type { AppRow, TokenRow } from "../../projections/apps/queries.ts";
import { appDocs, listAppsDocs, listTokensDocs } from "./docs.ts";

export interface AppQueries {
  registeredApps(): Promise<readonly AppRow[]>;
  tokensOf(appId: number): Promise<readonly TokenRow[]>;
  /** When tokens were last used, by their ids; those never used are not among them. */
  lastUsesOf(tokenIds: readonly string[]): Promise<ReadonlyMap<string, Date>>;
}

/** Reads apps and tokens, without secrets (contract/administration.md#apps, contract/administration.md#tokens). */
export function appRoutes({ registeredApps, tokensOf, lastUsesOf }: AppQueries): readonly Route[] {
  return [
    route({
      method: "get",
      path: "/admin/v1/apps",
      docs: listAppsDocs,
      operation: "operate",
      reads: "control",
      handle: async () => ok({ data: { apps: (await registeredApps()).map(appResponse) } }),
    }),
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name",
      docs: appDocs,
      operation: "administer_app",
      handle: async ({ app }) => ok({ data: { app: appResponse(app) } }),
    }),
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name/tokens",
      docs: listTokensDocs,
      operation: "administer_app",
      reads: "control",
      handle: async ({ app }) => {
        const tokens = await tokensOf(app.appId);
        const lastUses = await lastUsesOf(tokens.map(({ tokenId }) => tokenId));
        return ok({
          data: {
            tokens: tokens.map(({ tokenId, ...token }) => ({
              id: tokenId,
              ...token,
              lastUsedAt: lastUses.get(tokenId) ?? null,
            })),
          },
        });
      },
    }),
  ];
}

/** An app in a response, without its salt. */
function appResponse({
  appId,
  ...app
}: AppSettings & { readonly appId: number; readonly registeredAt: string | Date }) {
  return {
    id: appId,
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
    allowedOrigins: app.allowedOrigins ?? [],
    iosAppIds: app.iosAppIds ?? [],
    androidCertificates: app.androidCertificates ?? [],
    registeredAt: app.registeredAt,
  };
}
