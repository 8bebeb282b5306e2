import { data, listOf } from "../../infra/http/openapi/route-docs.ts";
import { channel, channelExample } from "../../infra/http/openapi/shared-schemas.ts";

export const listChannelsDocs = {
  summary: "List the channels",
  description: "Returns the built-in and registered channels, by name.",
  contract: "contract/administration.md#channels",
  responses: {
    200: { schema: data({ channels: listOf(channel) }), example: { data: { channels: [channelExample] } } },
  },
};
