import { appSettings } from "../../domain/apps/app-settings.ts";
import { defaultRules } from "../../domain/attribution/default-rules.ts";
import { readRules, writeRules } from "../../domain/attribution/rules-format.ts";
import { appStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { ok, type Route, refuse, route } from "../../infra/http/routing/route.ts";
import { handleCommand } from "../handle-command.ts";
import { causeOf } from "../metadata.ts";
import { refuseWith } from "../problems.ts";

/** Every decision records the rules in force: they must stay small beside it. */
const mostChannels = 100;

const duration = { type: "string", format: "duration" } as const;
const lookback = {
  type: "object",
  additionalProperties: false,
  properties: { device: duration, probabilistic: duration },
} as const;

const putBody = {
  type: "object",
  additionalProperties: false,
  properties: {
    click: lookback,
    impression: lookback,
    attributionWindow: duration,
    channels: {
      type: "object",
      maxProperties: mostChannels,
      propertyNames: { type: "string", format: "channel-name" },
      additionalProperties: {
        type: "object",
        additionalProperties: false,
        properties: { click: lookback, impression: lookback },
      },
    },
  },
} as const;

/**
 * Setting an app's attribution rules (contract/administration.md#attribution-rules), which target events from then on
 * are decided with. What the body leaves out has the default, what a channel leaves out is as for the other channels.
 * Answers the rules in full.
 */
export function attributionRulesRoutes({ log }: { readonly log: EventLog }): readonly Route[] {
  return [
    route({
      method: "put",
      path: "/admin/v1/apps/:app_name/attribution-rules",
      operation: "administer_app",
      body: putBody,
      handle: async (request) => {
        const { app, body } = request;
        if (app === null) return refuse(problems.appNotFound);
        const rules = readRules(body);
        const command = { type: "ChangeAttributionRules", appId: app.appId, rules, defaultRules } as const;
        const stream = appStream(app.appId);
        const changed = await handleCommand(log, appSettings, stream, request.requestId, command, causeOf(request));
        if (changed.outcome === "rejected") return refuseWith(changed.rejection);
        const answer = { data: { attributionRules: writeRules(rules) } };
        return changed.position === null ? ok(answer) : ok(answer, { position: changed.position, visibleIn: "facts" });
      },
    }),
  ];
}
