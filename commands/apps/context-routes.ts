import { appSettings } from "../../domain/apps/app-settings.ts";
import { appStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { ok, type Route, refuse, route } from "../../infra/http/routing/route.ts";
import { handleCommand } from "../handle-command.ts";
import { causeOf } from "../metadata.ts";
import { refuseWith } from "../problems.ts";

export interface ContextSwitchDeps {
  readonly log: EventLog;
  /** Told of an app whose switch was just written, so that this process goes by it at once. */
  readonly onSwitched: (appId: number) => void;
}

const putBody = {
  type: "object",
  required: ["active"],
  additionalProperties: false,
  properties: { active: { type: "boolean" } },
} as const;

/** Switching an app's context calls on and off (contract/administration.md#context-switch). */
export function contextSwitchRoutes({ log, onSwitched }: ContextSwitchDeps): readonly Route[] {
  return [
    route({
      method: "put",
      path: "/admin/v1/apps/:app_name/context",
      operation: "administer_app",
      body: putBody,
      handle: async (request) => {
        const { app, body, requestId } = request;
        if (app === null) return refuse(problems.appNotFound);
        const command = { type: "SwitchContext", appId: app.appId, active: body.active } as const;
        const switched = await handleCommand(
          log,
          appSettings,
          appStream(app.appId),
          requestId,
          command,
          causeOf(request),
        );
        if (switched.outcome === "rejected") return refuseWith(switched.rejection);
        onSwitched(app.appId);
        const { position } = switched;
        return ok({ data: { active: body.active } }, position === null ? {} : { position });
      },
    }),
  ];
}
