import { type Route, reply, route } from "../../infra/http/routing/route.ts";
import { causeOf } from "../metadata.ts";
import { inTurn } from "../mutex.ts";
import { refuseWith } from "../problems.ts";
import { registerBody } from "./app-schema.ts";
import { type RegisterAppDeps, registerApp } from "./register-app.ts";

/** Registering apps (contract/administration.md#apps). */
export function appRoutes<Token extends { readonly text: string; readonly tokenId: string }>(
  deps: RegisterAppDeps<Token>,
): readonly Route[] {
  const registerInTurn = inTurn();
  return [
    route({
      method: "post",
      path: "/admin/v1/apps",
      operation: "operate",
      body: registerBody,
      handle: async (request) => {
        const { name, timezone, currency, ownerEmail, redirectHosts = [], ...optional } = request.body;
        const settings = {
          name,
          timezone,
          currency,
          ownerEmail,
          companyName: optional.companyName ?? null,
          iosStoreId: optional.iosStoreId ?? null,
          androidPackage: optional.androidPackage ?? null,
          iosStoreUrl: optional.iosStoreUrl ?? null,
          androidStoreUrl: optional.androidStoreUrl ?? null,
          desktopUrl: optional.desktopUrl ?? null,
          redirectHosts: [...new Set(redirectHosts.map((host) => host.toLowerCase()))],
        };
        const registered = await registerInTurn(() => registerApp(deps, settings, causeOf(request)));
        if ("outcome" in registered) return refuseWith(registered.rejection);
        const { appId, tokens, position } = registered;
        const app = { id: appId, name, timezone, currency };
        return reply(201, { data: { app, tokens } }, { position, visibleIn: "control" });
      },
    }),
  ];
}
