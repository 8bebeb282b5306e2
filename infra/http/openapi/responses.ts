import type { JSONSchema } from "json-schema-to-ts";
import type { MediaType, OpenApiOperation, OpenApiResponse } from "./open-api.ts";
import { type DocumentedResponse, integer, listOf, object, type RouteDocs, text, uuid } from "./route-docs.ts";

export const problemSchema = object(
  { type: text, title: text, status: integer, detail: text, instance: text, code: text, requestId: uuid },
  { errors: listOf(object({ loc: listOf({ type: ["string", "integer"] }), msg: text, type: text })) },
);

export const headerComponents = {
  RequestId: { description: "The id of the request.", schema: uuid },
  LogPosition: {
    description:
      "The log position of the last event that the call wrote, or of what it found already stored; else absent.",
    schema: { type: "string", pattern: "^\\d+$" },
  },
  RateLimitLimit: { description: "The number of calls that a full bucket allows.", schema: integer },
  RateLimitRemaining: { description: "The number of calls that are left in the bucket.", schema: integer },
  RateLimitReset: { description: "Seconds until the bucket is full.", schema: integer },
  RetryAfter: { description: "Seconds to wait before the call is repeated.", schema: integer },
  IdempotentReplayed: { description: "`true` when the response of an earlier call is sent again.", schema: text },
} as const;

/**
 * The responses of an operation.
 * @param codes of its problems, by status
 * @param headers of its other responses
 */
export function responsesOf(
  docs: RouteDocs,
  codes: ReadonlyMap<number, readonly string[]>,
  headers: readonly HeaderName[],
): OpenApiOperation["responses"] {
  const responses: { [status: string]: OpenApiResponse } = {};
  for (const [status, declared] of Object.entries(docs.responses)) {
    responses[status] = {
      description: descriptionOf(Number(status)),
      headers: headersOf(headers),
      ...(declared === null
        ? {}
        : { content: contentOf("schema" in declared || "example" in declared ? [declared] : declared) }),
    };
  }
  for (const [status, ofStatus] of codes) {
    responses[status] = {
      description: `${descriptionOf(status)}: ${ofStatus.map((code) => `\`${code}\``).join(", ")}`,
      headers: headersOf(status === 429 || status === 503 ? ["X-Request-Id", "Retry-After"] : ["X-Request-Id"]),
      content: { "application/problem+json": { schema: problemOf(status, ofStatus) } },
    };
  }
  return responses;
}

function contentOf(responses: readonly DocumentedResponse[]): { readonly [mediaType: string]: MediaType } {
  return Object.fromEntries(
    responses.map(({ mediaType = "application/json", schema, example }) => [
      mediaType,
      { schema: schema ?? { type: "string" }, example },
    ]),
  );
}

function problemOf(status: number, codes: readonly string[]): JSONSchema {
  const ofCodes = { properties: { status: { const: status }, code: { type: "string", enum: codes } } } as const;
  return { allOf: [{ $ref: "#/components/schemas/Problem" }, { type: "object", ...ofCodes }] };
}

const headerNames = {
  "X-Request-Id": "RequestId",
  "X-Log-Position": "LogPosition",
  "RateLimit-Limit": "RateLimitLimit",
  "RateLimit-Remaining": "RateLimitRemaining",
  "RateLimit-Reset": "RateLimitReset",
  "Retry-After": "RetryAfter",
  "Idempotent-Replayed": "IdempotentReplayed",
} as const satisfies { readonly [name: string]: keyof typeof headerComponents };

export type HeaderName = keyof typeof headerNames;

function headersOf(names: readonly HeaderName[]): { readonly [name: string]: object } {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${headerNames[name]}` }]));
}

const descriptions: { readonly [status: number]: string } = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "Done, without a body",
  206: "The requested part",
  304: "Not modified",
  400: "The request is malformed",
  401: "The token is missing or unknown",
  403: "The token lacks the permission",
  404: "Not found, or not visible to the token",
  409: "The request conflicts with the current state",
  413: "The body is too large",
  415: "The media type or encoding is not supported",
  416: "The requested part does not exist",
  422: "A field is invalid",
  429: "Too many requests",
  500: "Unexpected error",
  503: "Temporarily unavailable; retry",
};

function descriptionOf(status: number): string {
  return descriptions[status] ?? String(status);
}
