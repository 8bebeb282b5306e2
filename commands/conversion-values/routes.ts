import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { ChannelLookUp } from "../../domain/channels/built-in.ts";
import { conversionModel, ordered } from "../../domain/conversion-values/conversion-model.ts";
import { shownModel } from "../../domain/conversion-values/meanings.ts";
import { conversionModelStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { appRoute, ok, type Route, type RouteRequest } from "../../infra/http/routing/route.ts";
import { handleHttpCommand } from "../handle-http-command.ts";
import { bodyFaults } from "../rejection-statuses.ts";
import { mapPartnerEventsDocs, publishModelDocs } from "./docs.ts";
import { modelBody, modelOf, partnerBody } from "./model-schema.ts";

export interface ConversionModelDeps {
  readonly log: EventLog;
  /** Looks up a channel that a caller names for an app. */
  findChannel(
    name: string,
    request: Pick<RouteRequest<unknown, unknown, RegisteredApp>, "principal" | "app">,
  ): Promise<ChannelLookUp>;
  /** Called after a model or mapping was written, so that this process serves it at once. */
  onChanged(appId: number): void;
}

/**
 * Publishes conversion models, and the mappings of an app's events to the names that channels use
 * (contract/conversion-values.md#models). Every version is kept; a repeated request appends nothing.
 */
export function conversionModelRoutes({ log, findChannel, onChanged }: ConversionModelDeps): readonly Route[] {
  return [
    appRoute({
      method: "put",
      path: "/admin/v1/apps/:app_name/conversion-values",
      docs: publishModelDocs,
      operation: "administer_app",
      body: modelBody,
      uniqueKeys: true,
      rules: (body, { app: { appId } }) => {
        const command = { type: "PublishConversionModel", appId, model: modelOf(body) } as const;
        return bodyFaults(conversionModel.decide(command, conversionModel.initialState));
      },
      handle: async (request) => {
        const { appId } = request.app;
        const model = modelOf(request.body);
        const command = { type: "PublishConversionModel", appId, model } as const;
        return handleHttpCommand(log, conversionModel, conversionModelStream(appId), command, request, (published) => {
          onChanged(appId);
          const version = published.state.published?.version ?? 0;
          const conversionValues = { version, ...shownModel(ordered(model)) };
          return ok({ data: { conversionValues } }, { position: published.position, visibleIn: "control" });
        });
      },
    }),
    appRoute({
      method: "put",
      path: "/admin/v1/apps/:app_name/conversion-values/partners/:channel",
      docs: mapPartnerEventsDocs,
      operation: "administer_app",
      body: partnerBody,
      uniqueKeys: true,
      handle: async (request) => {
        const { appId } = request.app;
        const { channel = "" } = request.params;
        const { events } = request.body;
        const lookUp = await findChannel(channel, request);
        const command = { type: "MapPartnerEvents", appId, channel, ...lookUp, events } as const;
        return handleHttpCommand(log, conversionModel, conversionModelStream(appId), command, request, (mapped) => {
          onChanged(appId);
          return ok({ data: { partner: { channel, events } } }, { position: mapped.position, visibleIn: "control" });
        });
      },
    }),
  ];
}
