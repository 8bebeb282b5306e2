import { data, listOf } from "../../infra/http/openapi/route-docs.ts";
import { channel, channelExample } from "../../infra/http/openapi/shared-schemas.ts";

export const listChannelsDocs = {
  summary: "List the channels",
  description: "Built-in and registered ones, by name.",
  contract: "contract/administration.md#channels",
  answers: { 200: { schema: data({ channels: listOf(channel) }), example: { data: { channels: [channelExample] } } } },
};
