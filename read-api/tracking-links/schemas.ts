import type { JSONSchema } from "json-schema-to-ts";
import { linkIdTypes } from "../../domain/tracking-links/link-ids.ts";

const idType = { type: "string", enum: linkIdTypes } as const;

/** D1.5: `idType` is taken from the query too, which wins; unknown parameters are ignored. */
export const linkNamingQuery = { type: "object", properties: { idType } } as const satisfies JSONSchema;

/** A: `idType` in the body of a GET. */
export const linkNamingBody = {
  type: "object",
  additionalProperties: false,
  properties: { idType },
} as const satisfies JSONSchema;

/** A: list query; D4.10. */
export const linkListQuery = {
  type: "object",
  required: ["from", "to"],
  properties: {
    from: { type: "string", format: "date" },
    to: { type: "string", format: "date" },
    skip: { type: "integer", minimum: 0 },
    size: { type: "integer", minimum: 1, maximum: 500 },
    keyword: { type: "string" },
    channel_name: { type: "string" },
    sort_key: { type: "string", enum: ["createdAt"] },
    sort_type: { type: "string", enum: ["DESC", "ASC"] },
  },
} as const satisfies JSONSchema;
