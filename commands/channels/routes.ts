import { channel } from "../../domain/channels/channel.ts";
import { channelStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { ok, type Route, route } from "../../infra/http/routing/route.ts";
import { handleHttpCommand } from "../handle-http-command.ts";
import { putChannelDocs } from "./docs.ts";

const putBody = {
  type: "object",
  required: ["displayName", "type", "selfAttributing", "costIntegrated"],
  additionalProperties: false,
  properties: {
    displayName: { type: "string", minLength: 1, maxLength: 256, title: "one-line", pattern: "^\\S(.*\\S)?$" },
    type: { type: "string", enum: ["integrated", "custom"] },
    selfAttributing: { type: "boolean" },
    costIntegrated: { type: "boolean" },
  },
} as const;

/** Registers and changes channels, which all apps share (contract/administration.md#channels). */
export function channelRoutes({ log }: { readonly log: EventLog }): readonly Route[] {
  return [
    route({
      method: "put",
      path: "/admin/v1/channels/:name",
      docs: putChannelDocs,
      operation: "operate",
      body: putBody,
      handle: async (request) => {
        const profile = { name: request.params.name ?? "", ...request.body };
        return handleHttpCommand(log, channel, channelStream(profile.name), { profile }, request, ({ position }) =>
          ok({ data: { channel: profile } }, { position, visibleIn: "control" }),
        );
      },
    }),
  ];
}
