import type { EventLog } from "../infra/event-log/event-log.ts";
import type { Route } from "../infra/http/route.ts";
import { appRoutes } from "./apps/app-routes.ts";
import { channelRoutes } from "./channels/channel-routes.ts";
import { drawToken, issueToken } from "./tokens/issue-token.ts";
import { tokenRoutes } from "./tokens/token-routes.ts";

export interface CommandApiDeps {
  readonly log: EventLog;
  /** Makes apps registered since known to this process: `AppDirectory.refresh`. */
  refreshApps(): Promise<void>;
}

/** Every route that appends. */
export function commandRoutes({ log, refreshApps }: CommandApiDeps): readonly Route[] {
  return [
    ...appRoutes({
      log,
      drawToken,
      issueToken: (token, appId, kind, role, cause) =>
        issueToken(log, token, appId, { kind, role, channels: [], label: null }, cause),
      appRegistered: refreshApps,
    }),
    ...tokenRoutes({ log }),
    ...channelRoutes({ log }),
  ];
}
