import { appRoute, type Route } from "../../infra/http/routing/route.ts";
import type { TokenRow } from "../../projections/apps/queries.ts";
import { listReply, pageOf, pageOfAll, pageQuery } from "../listing.ts";
import { listTokensDocs } from "./docs.ts";

export interface TokenQueries {
  tokensOf(appId: number): Promise<readonly TokenRow[]>;
  /** When tokens were last used, by their ids; those never used are not among them. */
  lastUsesOf(tokenIds: readonly string[]): Promise<ReadonlyMap<string, Date>>;
}

/** Lists the tokens of an app, without secrets (contract/administration.md#tokens). */
export function tokenRoute({ tokensOf, lastUsesOf }: TokenQueries): Route {
  return appRoute({
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
  });
}
