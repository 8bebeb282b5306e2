import { appControls } from "../../domain/apps/app-controls.ts";
import { defaultRules } from "../../domain/attribution/default-rules.ts";
import { formatRules, parseRules } from "../../domain/attribution/rules-format.ts";
import { appStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { appRoute, ok, type Route } from "../../infra/http/routing/route.ts";
import { handleHttpCommand } from "../handle-http-command.ts";
import { putAttributionRulesDocs } from "./docs.ts";

/** Every decision records the rules in force, which must stay small. */
const maxChannels = 100;

const duration = { type: "string", format: "rules-duration" } as const;
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
      maxProperties: maxChannels,
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
 * Sets an app's attribution rules (contract/administration.md#attribution-rules) for later target events. Fields left
 * out of the body have the defaults; fields left out of a channel have the values for all channels. The response has
 * the complete rules.
 */
export function attributionRulesRoutes({ log }: { readonly log: EventLog }): readonly Route[] {
  return [
    appRoute({
      method: "put",
      path: "/admin/v1/apps/:app_name/attribution-rules",
      docs: putAttributionRulesDocs,
      operation: "administer_app",
      body: putBody,
      handle: async (request) => {
        const { app, body } = request;
        const rules = parseRules(body);
        const command = { type: "ChangeAttributionRules", appId: app.appId, rules, defaultRules } as const;
        return handleHttpCommand(log, appControls, appStream(app.appId), command, request, ({ position }) =>
          ok({ data: { attributionRules: formatRules(rules) } }, { position, visibleIn: "facts" }),
        );
      },
    }),
  ];
}
