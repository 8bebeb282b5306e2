import type { Route } from "../infra/http/route.ts";
import { registeredApps, storedChannels, tokensOf } from "../projections/apps/queries.ts";
import { appRoutes } from "./apps/routes.ts";
import { channelRoutes } from "./channels/routes.ts";

type LiveReadModel = Parameters<typeof registeredApps>[0];

export interface ReadApiDeps {
  /** The generation of a projection that answers now. */
  live(projection: string): Promise<LiveReadModel>;
}

/** Every route that answers from read models. */
export function readRoutes({ live }: ReadApiDeps): readonly Route[] {
  return [
    ...appRoutes({
      registeredApps: async () => registeredApps(await live("apps")),
      tokensOf: async (appId) => tokensOf(await live("apps"), appId),
    }),
    ...channelRoutes({ storedChannels: async () => storedChannels(await live("apps")) }),
  ];
}
