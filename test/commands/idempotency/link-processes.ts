import { createKeyedRequests } from "../../../commands/idempotency/keyed-requests.ts";
import { reportTaskRoutes } from "../../../commands/report-tasks/routes.ts";
import { trackingLinkRoutes } from "../../../commands/tracking-links/routes.ts";
import { customChannel } from "../../../domain/channels/channel-name.ts";
import { reports } from "../../../infra/composition/report-modules.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import type { RateLimiter } from "../../../infra/http/routing/rate-limiter.ts";
import { type Application, type Parts, startApplication } from "../../support/application.ts";

interface LinkProcessOptions extends Pick<Parts, "principals"> {
  readonly now?: () => Date;
  readonly rateLimiter?: RateLimiter | null;
}

/** Links and reports over HTTP, as one of many processes on a log serves them. */
export function startLinkProcess(
  log: EventLog,
  { now, rateLimiter = null, principals = {} }: LinkProcessOptions = {},
): Promise<Application> {
  return startApplication({
    ...{ log, principals },
    routes: [
      ...trackingLinkRoutes({
        log,
        channelProfile: async (name) => customChannel(name),
        linkBaseUrl: "https://l.example",
        onLinkCreated() {},
      }),
      ...reportTaskRoutes({
        reports,
        log,
        waitForPosition: async () => true,
        hadTurn: async () => true,
        uploadedMetrics: async () => [],
        resolveAsOf: async () => ({ outcome: "ahead" }),
      }),
    ],
    deps: () => ({ rateLimiter, keyed: createKeyedRequests({ log, ...(now === undefined ? {} : { now }) }) }),
  });
}
