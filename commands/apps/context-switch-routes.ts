import { appControls } from "../../domain/apps/app-controls.ts";
import { appStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { appRoute, ok, type Route } from "../../infra/http/routing/route.ts";
import { handleHttpCommand } from "../handle-http-command.ts";
import { switchContextDocs } from "./docs.ts";

export interface ContextSwitchDeps {
  readonly log: EventLog;
  /** Called after an app's switch was written, so that this process applies it at once. */
  readonly onSwitched: (appId: number) => void;
}

const putBody = {
  type: "object",
  required: ["active"],
  additionalProperties: false,
  properties: { active: { type: "boolean" } },
} as const;

/** Switches an app's context calls on and off (contract/administration.md#context-switch). */
export function contextSwitchRoutes({ log, onSwitched }: ContextSwitchDeps): readonly Route[] {
  return [
    appRoute({
      method: "put",
      path: "/admin/v1/apps/:app_name/context",
      docs: switchContextDocs,
      operation: "administer_app",
      body: putBody,
      handle: async (request) => {
        const { app, body } = request;
        const command = { type: "SwitchContext", appId: app.appId, active: body.active } as const;
        return handleHttpCommand(log, appControls, appStream(app.appId), command, request, ({ position }) => {
          onSwitched(app.appId);
          return ok({ data: { active: body.active } }, { position });
        });
      },
    }),
  ];
}
