import type { JSONSchema } from "json-schema-to-ts";
import { permissions } from "../../../domain/tokens/permissions.ts";
import { languages } from "../../../domain/values/language.ts";
import { defaultRateLimits } from "../../config/rate-limits.ts";
import type { Route } from "../routing/route.ts";
import { codeSamples } from "./code-samples.ts";
import type { MediaType, OpenApiDocument, OpenApiOperation, OpenApiResponse, Parameter } from "./open-api.ts";
import { problemCodes } from "./operation-problems.ts";
import { pathParameters } from "./path-parameters.ts";
import type { DocumentedResponse } from "./route-docs.ts";
import { integer, listOf, mapOf, object, text, uuid } from "./route-docs.ts";

const problemSchema = object(
  { type: text, title: text, status: integer, detail: text, instance: text, code: text, requestId: uuid },
  { errors: listOf(object({ loc: listOf({ type: ["string", "integer"] }), msg: text, type: text })) },
);

const headerComponents = {
  RequestId: { description: "The id of the request.", schema: uuid },
  LogPosition: {
    description: "The log position of the last event that the call wrote; absent when it wrote none.",
    schema: { type: "string", pattern: "^\\d+$" },
  },
  RateLimitLimit: { description: "The number of calls that a full bucket allows.", schema: integer },
  RateLimitRemaining: { description: "The number of calls that are left in the bucket.", schema: integer },
  RateLimitReset: { description: "Seconds until the bucket is full.", schema: integer },
  RetryAfter: { description: "Seconds to wait before the call is repeated.", schema: integer },
  IdempotentReplayed: { description: "`true` when the response of an earlier call is sent again.", schema: text },
} as const;

/**
 * The description of routes as OpenAPI 3.1 (contract/http.md#openapi).
 * @param server the address that clients use
 */
export function openApiDocument(routes: readonly Route[], server: string, version: string): OpenApiDocument {
  const paths: { [path: string]: { [method: string]: OpenApiOperation } } = {};
  for (const route of routes) {
    const path = templateOf(route.path);
    const operations = paths[path] ?? {};
    operations[route.method] = documented(route, server);
    paths[path] = operations;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Touchledger",
      version,
      description: "Mobile attribution and measurement in which every number can be traced to the events behind it.",
    },
    servers: [{ url: server }],
    tags: [...new Set(routes.map(tagOf))].sort().map((name) => ({ name })),
    paths,
    components: {
      schemas: { Problem: problemSchema },
      headers: headerComponents,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A token of an app, or the operator's." },
        serviceApiKey: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "`SERVICE-API-KEY <token>`, which some uploads accept instead of `Bearer <token>`.",
        },
        beaconToken: {
          type: "apiKey",
          in: "query",
          name: "token",
          description: "A `web` token, which beacons may send instead of the header.",
        },
      },
    },
  };
}

/** `/apps/:app_name` as `/apps/{app_name}`. */
export function templateOf(path: string): string {
  return path.replaceAll(/:([A-Za-z_]+)/g, "{$1}");
}

/** The page of the contract that states the rules of a route, such as `tracking-links`. */
function tagOf({ docs }: Route): string {
  return /^contract\/([a-z-]+)\.md/.exec(docs.contract)?.[1] ?? "http";
}

function documented(route: Route, server: string): OpenApiOperation {
  const operation = operationOf(route);
  return { ...operation, "x-codeSamples": codeSamples(route.method, templateOf(route.path), operation, server) };
}

function operationOf(route: Route): Omit<OpenApiOperation, "x-codeSamples"> {
  const { docs, method, path, operation } = route;
  const { limit = "other" } = route;
  return {
    operationId: [method, ...path.split(/[^A-Za-z0-9]+/)].filter((part) => part !== "").join("_"),
    summary: docs.summary,
    description: `${docs.description}\n\nRules: \`docs/${docs.contract}\`.`,
    tags: [tagOf(route)],
    security: [
      { bearer: [] },
      ...(route.serviceApiKey === true ? [{ serviceApiKey: [] }] : []),
      ...(route.beacon === true ? [{ beaconToken: [] }] : []),
    ],
    parameters: [...pathParametersOf(path), ...queryParametersOf(route), ...headerParametersOf(route)],
    ...requestBodyOf(route),
    responses: responsesOf(route),
    "x-permissions": permissions[operation],
    "x-rate-limit": limit === "ingest" ? `${rate("ingest-api")}; ${rate("ingest-sdk")}` : rate(limit),
  };
}

function rate(name: keyof typeof defaultRateLimits): string {
  const { count, seconds } = defaultRateLimits[name];
  return `${name}: ${count} in ${seconds} s`;
}

/** @throws for a parameter that `path-parameters.ts` does not describe */
function pathParametersOf(path: string): readonly Parameter[] {
  return [...path.matchAll(/:([A-Za-z_]+)/g)].map(([, name = ""]) => {
    const known = pathParameters[name];
    if (known === undefined) throw new Error(`${path}: add ${name} to infra/http/openapi/path-parameters.ts`);
    return { name, in: "path", required: true, ...known };
  });
}

function queryParametersOf({ query, apiKey }: Route): readonly Parameter[] {
  const key: readonly Parameter[] =
    apiKey === true
      ? [{ name: "api_key", in: "query", required: true, description: "The same key again.", schema: text }]
      : [];
  if (typeof query !== "object") return key;
  const { properties = {}, required = [] } = query;
  const declared = Object.entries(properties).map(([name, schema]): Parameter => {
    const { description = null } = typeof schema === "object" ? schema : {};
    const described = description === null ? {} : { description };
    return { name, in: "query", ...(required.includes(name) ? { required: true } : {}), ...described, schema };
  });
  return [...key, ...declared];
}

function headerParametersOf({ idempotent, reads }: Route): readonly Parameter[] {
  const language: Parameter = {
    name: "Accept-Language",
    in: "header",
    description: "The language of messages and display names.",
    schema: { type: "string" },
    example: languages[0],
  };
  const key: Parameter = {
    name: "Idempotency-Key",
    in: "header",
    description: "For 24 hours, calls with the same key and body are executed once and get the same response.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  };
  const minPosition: Parameter = {
    name: "X-Min-Position",
    in: "header",
    description: "Waits up to 2 s until the read models include this log position.",
    schema: { type: "string", pattern: "^\\d{1,19}$" },
  };
  return [...(idempotent === true ? [key] : []), ...(reads === undefined ? [] : [minPosition]), language];
}

/** Generated clients cannot send a body with GET; its content can be in the query as well. */
function requestBodyOf({
  method,
  body,
  file,
  files,
  beacon,
  docs,
}: Route): Pick<OpenApiOperation, "requestBody"> | null {
  if (method === "get") return null;
  if (body !== undefined) {
    const json = { "application/json": { schema: body, example: docs.request } };
    const text = { "text/plain": { schema: { type: "string" }, example: JSON.stringify(docs.request) } } as const;
    return { requestBody: { required: true, content: beacon === true ? { ...json, ...text } : json } };
  }
  if (file === undefined && files === undefined) return null;
  const bytes = { type: "string", contentMediaType: "application/octet-stream" } as const;
  const schema = file === undefined ? mapOf(bytes) : object({ file: bytes });
  return { requestBody: { required: true, content: { "multipart/form-data": { schema, example: docs.request } } } };
}

function responsesOf(route: Route): OpenApiOperation["responses"] {
  const responses: { [status: string]: OpenApiResponse } = {};
  const isWrite = route.method !== "get";
  for (const [status, declared] of Object.entries(route.docs.responses)) {
    responses[status] = {
      description: descriptionOf(Number(status)),
      headers: {
        ...headersOf(["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]),
        ...(isWrite ? headersOf(["X-Log-Position"]) : {}),
        ...(route.idempotent === true ? headersOf(["Idempotent-Replayed"]) : {}),
      },
      ...(declared === null
        ? {}
        : { content: contentOf("schema" in declared || "example" in declared ? [declared] : declared) }),
    };
  }
  for (const [status, codes] of problemCodes(route)) {
    responses[status] = {
      description: `${descriptionOf(status)}: ${codes.map((code) => `\`${code}\``).join(", ")}`,
      headers: headersOf(status === 429 || status === 503 ? ["X-Request-Id", "Retry-After"] : ["X-Request-Id"]),
      content: { "application/problem+json": { schema: problemOf(status, codes) } },
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

function headersOf(names: readonly (keyof typeof headerNames)[]): { readonly [name: string]: object } {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${headerNames[name]}` }]));
}

const descriptions: { readonly [status: number]: string } = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "Done, without a body",
  304: "Not modified",
  400: "The request is malformed",
  401: "The token is missing or unknown",
  403: "The token lacks the permission",
  404: "Not found, or not visible to the token",
  409: "The request conflicts with the current state",
  413: "The body is too large",
  415: "The media type or encoding is not supported",
  422: "A field is invalid",
  429: "Too many requests",
  500: "Unexpected error",
  503: "Temporarily unavailable; retry",
};

function descriptionOf(status: number): string {
  return descriptions[status] ?? String(status);
}
