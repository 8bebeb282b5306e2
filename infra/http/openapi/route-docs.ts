import type { JSONSchema } from "json-schema-to-ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import type { Problem } from "../response/problem.ts";
import type { HeaderName } from "./response-headers.ts";

/** The body of a response. Without a schema it is text or bytes. */
export interface DocumentedResponse {
  /** Default: `application/json`. */
  readonly mediaType?: string;
  readonly schema?: JSONSchema;
  readonly example: unknown;
  /** Besides those that all routes of its shape have. */
  readonly headers?: readonly HeaderName[];
}

/**
 * The part of a route's entry in `GET /openapi.json` that is not derived from the route (contract/http.md#openapi).
 * Parameters, permissions, rate limits, headers and the problems of every route of its shape are derived.
 */
export interface RouteDocs {
  /** What the call does: a few words in the imperative. */
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** The section that states the rules: `contract/reports.md#tasks`. Its page is the group of the operation. */
  readonly contract: string;
  /**
   * An example of the body, which its schema accepts; for a form the text of its file. A function gets yesterday's date,
   * for times that the call would refuse once they are old.
   */
  readonly request?: unknown | ((yesterday: LocalDate) => unknown);
  /** The responses by status; several media types are a list; null: no body. */
  readonly responses: { readonly [status: number]: DocumentedResponse | readonly DocumentedResponse[] | null };
  /** The problems that are specific to this route; of those with faults, an example of them. */
  readonly problems?: readonly Problem[];
}

/** The documentation of a route that reads a body has an example of it. */
export type RouteDocsFor<Body> = Body extends undefined ? RouteDocs : RouteDocs & { readonly request: unknown };

type Properties = { readonly [name: string]: JSONSchema };

export const text = { type: "string" } as const satisfies JSONSchema;
export const integer = { type: "integer" } as const satisfies JSONSchema;
export const number = { type: "number" } as const satisfies JSONSchema;
export const boolean = { type: "boolean" } as const satisfies JSONSchema;
export const uuid = { type: "string", format: "uuid" } as const satisfies JSONSchema;
/** ISO 8601 with an offset. */
export const instant = { type: "string", format: "date-time" } as const satisfies JSONSchema;
export const localDate = { type: "string", format: "date" } as const satisfies JSONSchema;
/** A position of the log, which is beyond the integers of JavaScript. */
export const position = { type: "string", pattern: "^\\d+$" } as const satisfies JSONSchema;

/** An object with all of these members, and some or none of the optional ones. */
export function object(properties: Properties, optional: Properties = {}): JSONSchema {
  return { type: "object", required: Object.keys(properties), properties: { ...properties, ...optional } };
}

export function listOf(items: JSONSchema): JSONSchema {
  return { type: "array", items };
}

/** An object of any keys. */
export function mapOf(values: JSONSchema): JSONSchema {
  return { type: "object", additionalProperties: values };
}

export function nullable(schema: JSONSchema): JSONSchema {
  if (typeof schema !== "object") return schema;
  const { type, enum: values } = schema;
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
  return { ...schema, type: [type, "null"], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

export function oneOf(...values: readonly string[]): JSONSchema {
  return { type: "string", enum: [...values] };
}

/** A body with the one member `data`. */
export function data(properties: Properties, optional: Properties = {}): JSONSchema {
  return object({ data: object(properties, optional) });
}
