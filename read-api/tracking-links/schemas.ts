import type { JSONSchema } from "json-schema-to-ts";
import { linkIdTypes } from "../../domain/tracking-links/link-ids.ts";

const idType = { type: "string", enum: linkIdTypes } as const;

/**
 * `idType` is taken from the query too, which wins (contract/http.md#unknown-fields); unknown parameters are ignored.
 */
export const linkNamingQuery = { type: "object", properties: { idType } } as const satisfies JSONSchema;

/** `idType` in the body of a GET. */
export const linkNamingBody = {
  type: "object",
  additionalProperties: false,
  properties: { idType },
} as const satisfies JSONSchema;

/** Query of the list of links (contract/tracking-links.md#listing). */
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
