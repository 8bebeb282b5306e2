import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import { campaignKeys } from "../../domain/values/campaign-params.ts";

const text = (maxLength: number) => ({ type: "string", maxLength }) as const;
const name = { type: "string", minLength: 1, maxLength: 256 } as const;

/** The body (contract/ingest.md#touchpoints). Each touchpoint is validated by itself. */
export const touchpointsSchema = {
  type: "object",
  additionalProperties: false,
  required: ["touchpoints"],
  properties: { touchpoints: { type: "array", minItems: 1, maxItems: 500, items: {} } },
} as const satisfies JSONSchema;

/**
 * The shape of one touchpoint (contract/ingest.md#touchpoints). The channel defaults to that of the tracking link. An
 * empty property of the client counts as missing.
 */
export const touchpointSchema = {
  type: "object",
  additionalProperties: false,
  required: ["touchpointId", "kind", "timestamp"],
  properties: {
    touchpointId: text(64),
    kind: { enum: ["click", "impression"] },
    timestamp: { type: ["string", "number"], maxLength: 64 },
    channel: name,
    trackingLinkId: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    campaignParams: {
      type: "object",
      additionalProperties: false,
      properties: Object.fromEntries(campaignKeys.map((key) => [key, name])),
    },
    gaid: text(128),
    idfa: text(128),
    idfv: text(128),
    deviceId: text(128),
    ip: { type: "string", format: "optional-ip-address" },
    userAgent: text(2_048),
    os: { enum: ["Android", "iOS", "Web", ""] },
    osVersion: text(128),
  },
} as const satisfies JSONSchema;

/** A touchpoint as an owner sends it, its shape already validated. */
export type TouchpointInput = FromSchema<typeof touchpointSchema>;
