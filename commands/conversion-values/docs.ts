import { data, integer, mapOf, object, text } from "../../infra/http/openapi/route-docs.ts";
import {
  conversionModel,
  conversionModelExample,
  conversionModelRequest,
} from "../../infra/http/openapi/shared-schemas.ts";
import { rejectionsOf } from "../rejection-statuses.ts";

export const publishModelDocs = {
  summary: "Publish a conversion model",
  description:
    "Replaces the conversion model of the app. Every version is kept. Publishing the current model again changes " +
    "nothing.",
  contract: "contract/conversion-values.md#models",
  request: conversionModelRequest,
  responses: {
    200: {
      schema: data({ conversionValues: object({ version: integer, ...conversionModel }) }),
      example: { data: { conversionValues: { version: 1, ...conversionModelExample } } },
    },
  },
  problems: rejectionsOf("CONVERSION_MODEL_NOT_ALLOWED"),
};

const events = { app_sign_up: "registration" };

export const mapPartnerEventsDocs = {
  summary: "Map events to the names of a channel",
  description:
    "Allows the channel to read the conversion values of the app, and sets the names that the channel uses for " +
    "the app's events.",
  contract: "contract/conversion-values.md#models",
  request: { events },
  responses: {
    200: {
      schema: data({ partner: object({ channel: text, events: mapOf(text) }) }),
      example: { data: { partner: { channel: "partner", events } } },
    },
  },
  problems: rejectionsOf("CHANNEL_NOT_FOUND", "CONVERSION_MODEL_NOT_ALLOWED"),
};
