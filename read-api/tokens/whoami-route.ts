import { mayDo, type Operation, permissions } from "../../domain/tokens/permissions.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import { visibleChannels } from "../../domain/tokens/visible-channels.ts";
import { ok, type Route, route } from "../../infra/http/routing/route.ts";
import { whoamiDocs } from "./docs.ts";

/** The rate limits of a caller by name: calls and seconds of each (contract/limits.md#rate-limits). */
export type LimitsOf = (principal: Principal) => {
  readonly [name: string]: { readonly count: number; readonly seconds: number };
};

/** `GET /admin/v1/whoami`: the caller's token and its permissions (contract/tokens.md#who-am-i). */
export function whoamiRoute(limitsOf: LimitsOf): Route {
  return route({
    method: "get",
    path: "/admin/v1/whoami",
    docs: whoamiDocs,
    operation: "whoami",
    handle: async ({ principal, app }) => {
      const allowed = (Object.keys(permissions) as Operation[]).filter((operation) => mayDo(principal, operation));
      return ok({
        data: { ...callerOf(principal), app: app?.name ?? null, permissions: allowed, limits: limitsOf(principal) },
      });
    },
  });
}

function callerOf(principal: Principal) {
  if (principal.kind !== "token") return { kind: principal.kind, tokenId: null, role: null, channels: null };
  const { tokenKind: kind, tokenId, role } = principal;
  return { kind, tokenId, role, channels: visibleChannels(principal) };
}
