import { data, object, text } from "../../infra/http/openapi/route-docs.ts";
import { channel, channelExample } from "../../infra/http/openapi/shared-schemas.ts";
import { rejectionsOf } from "../problems.ts";

const { name: _, ...profile } = channelExample;

export const putChannelDocs = {
  summary: "Register or change a channel",
  description: "Channels are shared by all apps. Built-in channels cannot be changed.",
  contract: "contract/administration.md#channels",
  request: profile,
  answers: { 200: { schema: data({ channel }), example: { data: { channel: channelExample } } } },
  problems: rejectionsOf("CHANNEL_NAME_INVALID", "CHANNEL_NAME_RESERVED"),
};

export const certifyChannelDocs = {
  summary: "Certify a channel",
  description:
    "Answers a new API key, which is shown only now; the previous one stops working within 2 seconds. With the key " +
    "the channel reads the conversion values of apps that have enabled it.",
  contract: "contract/administration.md#certification",
  request: { responseFormat: "partner" },
  answers: { 200: { schema: object({ apiKey: text }), example: { apiKey: "tl_channel_..." } } },
  problems: rejectionsOf("CHANNEL_NOT_FOUND", "RESPONSE_FORMAT_TAKEN"),
};

export const revokeCertificationDocs = {
  summary: "Revoke the certification of a channel",
  description: "Its API key stops working within 2 seconds.",
  contract: "contract/administration.md#certification",
  answers: { 204: null },
  problems: rejectionsOf("CERTIFICATION_NOT_FOUND"),
};
