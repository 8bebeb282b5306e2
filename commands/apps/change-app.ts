import { appRegistry, settingsOf } from "../../domain/apps/app-registry.ts";
import { appRegistryStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { appRoute, ok, type Route } from "../../infra/http/routing/route.ts";
import { handleHttpCommand } from "../handle-http-command.ts";
import { changeBody, distinctHosts } from "./app-schema.ts";
import { changeAppDocs } from "./docs.ts";

export interface ChangeAppDeps {
  readonly log: EventLog;
  /** Makes the change known to this process. */
  onAppChanged(): Promise<void>;
}

const unsetLists = { allowedOrigins: [], iosAppIds: [], androidCertificates: [] };

/** `PATCH /admin/v1/apps/{app_name}`: changes an app's settings; absent ones stay (contract/administration.md#apps). */
export function changeAppRoute({ log, onAppChanged }: ChangeAppDeps): Route {
  return appRoute({
    method: "patch",
    path: "/admin/v1/apps/:app_name",
    docs: changeAppDocs,
    operation: "administer_app",
    body: changeBody,
    handle: async (request) => {
      const { app, body } = request;
      const { redirectHosts, ...given } = body;
      const changes = { ...given, ...(redirectHosts && { redirectHosts: distinctHosts(redirectHosts) }) };
      const command = { type: "ChangeAppSettings", appId: app.appId, changes } as const;
      return handleHttpCommand(log, appRegistry, appRegistryStream, command, request, async ({ position, state }) => {
        await onAppChanged();
        const { appId: id, name, timezone, currency, registeredAt } = app;
        const data = {
          app: { id, name, timezone, currency, ...unsetLists, ...settingsOf(state).get(id), registeredAt },
        };
        return ok({ data }, { position, visibleIn: "control" });
      });
    },
  });
}
