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
