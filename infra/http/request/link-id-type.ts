import type { JSONSchema } from "json-schema-to-ts";
import { linkIdTypes } from "../../../domain/tracking-links/link-ids.ts";

/** The kind of identifier by which a request names a link (contract/tracking-links.md#naming). */
export const idType = { type: "string", enum: linkIdTypes } as const;

/**
 * The query of routes that name a link: `idType` may be in it too, and wins there (contract/http.md#unknown-fields);
 * unknown parameters are ignored.
 */
export const linkNamingQuery = { type: "object", properties: { idType } } as const satisfies JSONSchema;
