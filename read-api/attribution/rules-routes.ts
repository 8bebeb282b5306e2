import type { AttributionRules } from "../../domain/attribution/events.ts";
import { writeRules } from "../../domain/attribution/rules-format.ts";
import { appRoute, ok, type Route } from "../../infra/http/routing/route.ts";

export interface AttributionRulesReadOptions {
  readonly attributionRulesOf: (appId: number) => Promise<AttributionRules>;
}

/**
 * The attribution rules in force (contract/administration.md#attribution-rules), in full; the defaults of an app that
 * has set none.
 */
export function attributionRulesReadRoutes({ attributionRulesOf }: AttributionRulesReadOptions): readonly Route[] {
  return [
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name/attribution-rules",
      operation: "administer_app",
      reads: "facts",
      handle: async ({ app }) => {
        return ok({ data: { attributionRules: writeRules(await attributionRulesOf(app.appId)) } });
      },
    }),
  ];
}
