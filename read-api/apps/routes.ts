import type { AppSettings } from "../../domain/apps/events.ts";
import { appRoute, ok, type Route, route } from "../../infra/http/routing/route.ts";
import type { AppRow, TokenRow } from "../../projections/apps/queries.ts";
import { listReply, pageOf, pageOfAll, pageQuery } from "../listing.ts";
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
      query: pageQuery,
      reads: "control",
      handle: async ({ query }) => listReply("apps", pageOfAll(await registeredApps(), pageOf(query)), appResponse),
    }),
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name",
      docs: appDocs,
      operation: "administer_app",
      reads: "control",
      handle: async ({ app }) => ok({ data: { app: appResponse(app) } }),
    }),
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name/tokens",
      docs: listTokensDocs,
      operation: "administer_app",
      query: pageQuery,
      reads: "control",
      handle: async ({ app, query }) => {
        const page = pageOfAll(await tokensOf(app.appId), pageOf(query));
        const lastUses = await lastUsesOf(page.rows.map(({ tokenId }) => tokenId));
        return listReply("tokens", page, ({ tokenId, ...token }) => ({
          id: tokenId,
          ...token,
          lastUsedAt: lastUses.get(tokenId) ?? null,
        }));
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
