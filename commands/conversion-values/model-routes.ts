import { conversionModel, ordered } from "../../domain/conversion-values/conversion-model.ts";
import { shownModel } from "../../domain/conversion-values/meanings.ts";
import { conversionModelStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { ok, type Route, refuse, route } from "../../infra/http/routing/route.ts";
import { handleCommand } from "../handle-command.ts";
import { causeOf } from "../metadata.ts";
import { refuseWith } from "../problems.ts";
import { modelBody, modelOf, partnerBody } from "./model-schema.ts";

export interface ConversionModelDeps {
  readonly log: EventLog;
  /** Whether a channel is registered or built in. */
  isKnownChannel(name: string): Promise<boolean>;
  /** Called with the app whose model or mapping was just written, so that this process answers it at once. */
  onChanged(appId: number): void;
}

/**
 * Publishing what an app's conversion values mean, and letting channels read it under their own names of events
 * (contract/conversion-values.md#models). Every version is kept; a repeated request appends nothing.
 */
export function conversionModelRoutes({ log, isKnownChannel, onChanged }: ConversionModelDeps): readonly Route[] {
  return [
    route({
      method: "put",
      path: "/admin/v1/apps/:app_name/conversion-values",
      operation: "administer_app",
      body: modelBody,
      uniqueKeys: true,
      handle: async (request) => {
        const { app, requestId } = request;
        if (app === null) return refuse(problems.appNotFound);
        const { appId } = app;
        const model = modelOf(request.body);
        const command = { kind: "publish", appId, model } as const;
        const stream = conversionModelStream(appId);
        const published = await handleCommand(log, conversionModel, stream, requestId, command, causeOf(request));
        if (published.outcome === "rejected") return refuseWith(published.rejection);
        onChanged(appId);
        const version = published.state.published?.version ?? 0;
        const answer = { data: { conversionValues: { version, ...shownModel(ordered(model)) } } };
        const { position } = published;
        return position === null ? ok(answer) : ok(answer, { position, visibleIn: "control" });
      },
    }),
    route({
      method: "put",
      path: "/admin/v1/apps/:app_name/conversion-values/partners/:channel",
      operation: "administer_app",
      body: partnerBody,
      uniqueKeys: true,
      handle: async (request) => {
        const { app, params, requestId } = request;
        if (app === null) return refuse(problems.appNotFound);
        const { appId } = app;
        const { channel = "" } = params;
        const { events } = request.body;
        const isChannelKnown = await isKnownChannel(channel);
        const command = { kind: "map", appId, channel, isChannelKnown, events } as const;
        const stream = conversionModelStream(appId);
        const mapped = await handleCommand(log, conversionModel, stream, requestId, command, causeOf(request));
        if (mapped.outcome === "rejected") return refuseWith(mapped.rejection);
        onChanged(appId);
        const answer = { data: { partner: { channel, events } } };
        const { position } = mapped;
        return position === null ? ok(answer) : ok(answer, { position, visibleIn: "control" });
      },
    }),
  ];
}
