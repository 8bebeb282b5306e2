import { channel } from "../../domain/channels/channel.ts";
import { channelStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { ok, type Route, route } from "../../infra/http/routing/route.ts";
import { handleCommand } from "../handle-command.ts";
import { causeOf } from "../metadata.ts";
import { refuseWith } from "../problems.ts";

const putBody = {
  type: "object",
  required: ["displayName", "type", "selfAttributing", "costIntegrated"],
  additionalProperties: false,
  properties: {
    displayName: { type: "string", minLength: 1, maxLength: 256, pattern: "^\\S(.*\\S)?$" },
    type: { type: "string", enum: ["integrated", "custom"] },
    selfAttributing: { type: "boolean" },
    costIntegrated: { type: "boolean" },
  },
} as const;

/** Registering and changing channels, which are global (contract/administration.md#channels). */
export function channelRoutes({ log }: { readonly log: EventLog }): readonly Route[] {
  return [
    route({
      method: "put",
      path: "/admin/v1/channels/:name",
      operation: "operate",
      body: putBody,
      handle: async (request) => {
        const profile = { name: request.params.name ?? "", ...request.body };
        const stream = channelStream(profile.name);
        const put = await handleCommand(log, channel, stream, request.requestId, { profile }, causeOf(request));
        if (put.outcome === "rejected") return refuseWith(put.rejection);
        const answer = { data: { channel: profile } };
        return put.position === null ? ok(answer) : ok(answer, { position: put.position, visibleIn: "control" });
      },
    }),
  ];
}
