import { asOfParameter } from "../as-of.ts";

const required = { type: "string", minLength: 1, maxLength: 256 } as const;

/** `api_key` is not among them: a call without it is refused with 401 before its query is validated. */
export const schemaFeedQuery = {
  type: "object",
  required: ["ios_store_app_id", "response_format"],
  properties: { ios_store_app_id: required, response_format: required },
} as const;

/** The store id has two spellings, one of which is there. */
export const bitConfigQuery = {
  type: "object",
  required: ["response_format"],
  properties: { ios_store_id: required, ios_store_app_id: required, response_format: required },
} as const;

export const modelQuery = { type: "object", properties: { asOf: asOfParameter } } as const;

export const decodeQuery = {
  type: "object",
  required: ["value"],
  properties: {
    value: { type: "string", format: "conversion-value" },
    postback: { type: "integer", minimum: 0, maximum: 2 },
    at: asOfParameter,
  },
} as const;
