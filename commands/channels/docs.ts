import { data, object, text } from "../../infra/http/openapi/route-docs.ts";
import { channel, channelExample } from "../../infra/http/openapi/shared-schemas.ts";
import { rejectionsOf } from "../rejection-statuses.ts";

const { name: _, ...profile } = channelExample;

export const putChannelDocs = {
  summary: "Register or change a channel",
  description: "Registers a channel, or changes a registered or built-in one. Channels are shared by all apps.",
  contract: "contract/administration.md#channels",
  request: profile,
  responses: { 200: { schema: data({ channel }), example: { data: { channel: channelExample } } } },
  problems: rejectionsOf("CHANNEL_NAME_INVALID", "CHANNEL_NAME_RESERVED"),
};

export const certifyChannelDocs = {
  summary: "Certify a channel",
  description:
    "Returns a new API key, shown only in this response; the previous key stops working within 2 seconds. With " +
    "its key, the channel reads the conversion values of the apps that have enabled it.",
  contract: "contract/administration.md#certification",
  request: { responseFormat: "partner_v1" },
  responses: { 200: { schema: object({ apiKey: text }), example: { apiKey: "tl_channel_..." } } },
  problems: rejectionsOf("CHANNEL_NOT_FOUND", "RESPONSE_FORMAT_TAKEN"),
};

export const revokeCertificationDocs = {
  summary: "Revoke the certification of a channel",
  description: "The API key of the channel stops working within 2 seconds.",
  contract: "contract/administration.md#certification",
  responses: { 204: null },
  problems: rejectionsOf("CERTIFICATION_NOT_FOUND"),
};
