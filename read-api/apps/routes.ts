import type { AppSettings } from "../../domain/apps/events.ts";
import { appRoute, ok, type Route, route } from "../../infra/http/routing/route.ts";
import type { AppRow } from "../../projections/apps/queries.ts";
import { listReply, pageOf, pageOfAll, pageQuery } from "../listing.ts";
import { appDocs, listAppsDocs } from "./docs.ts";

export interface AppQueries {
  registeredApps(): Promise<readonly AppRow[]>;
}

/** Reads apps, without secrets (contract/administration.md#apps). */
export function appRoutes({ registeredApps }: AppQueries): readonly Route[] {
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
