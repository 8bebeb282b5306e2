import { permissions } from "../../../domain/tokens/permissions.ts";
import { languages } from "../../../domain/values/language.ts";
import { addDays, type LocalDate } from "../../../domain/values/local-time.ts";
import type { RateLimitName, RateLimits } from "../../config/rate-limits.ts";
import type { RouteLimit } from "../routing/rate-limiter.ts";
import { maxWaitMs } from "../routing/read-your-writes.ts";
import type { Route } from "../routing/route.ts";
import { codeSamples, examplePath, tokenExample } from "./code-samples.ts";
import type { OpenApiDocument, OpenApiOperation, Parameter } from "./open-api.ts";
import type { OpenEndpoint } from "./open-endpoints.ts";
import { problemsByStatus, problemsOf } from "./operation-problems.ts";
import { pathParameters } from "./path-parameters.ts";
import { describedHeaders, headerComponents } from "./response-headers.ts";
import { isVersioned, problemSchema, responsesOf } from "./responses.ts";
import { mapOf, object, type RouteDocs, text } from "./route-docs.ts";

/** What an address serves. */
export interface Served {
  readonly routes: readonly Route[];
  readonly open: readonly OpenEndpoint[];
  /** The address that clients use. */
  readonly server: string;
  readonly rateLimits: RateLimits | "off";
}

/**
 * The description of what an address serves as OpenAPI 3.1 (contract/http.md#openapi).
 * @param today the UTC date; examples of recent times are of the day before
 */
export function openApiDocument(
  { routes, open, server, rateLimits }: Served,
  version: string,
  today: LocalDate,
): OpenApiDocument {
  const yesterday = addDays(today, -1);
  const limits = writtenLimits(rateLimits);
  const paths: { [path: string]: { [method: string]: OpenApiOperation } } = {};
  for (const route of routes) {
    const path = templateOf(route.path);
    const operations = paths[path] ?? {};
    operations[route.method] = documented(withExamplesOf(yesterday, route), server, limits);
    paths[path] = operations;
  }
  for (const endpoint of open) paths[templateOf(endpoint.path)] = { get: openOperation(endpoint, server, limits) };
  return {
    openapi: "3.1.0",
    info: {
      title: "Touchledger",
      version,
      description: "Mobile attribution and measurement in which every number can be traced to the events behind it.",
    },
    servers: [{ url: server }],
    tags: [...new Set([...routes, ...open].map(tagOf))].sort().map((name) => ({ name })),
    paths,
    components: {
      schemas: { Problem: problemSchema },
      headers: headerComponents,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "A token of an app, or the operator's; code samples read it from `TOUCHLEDGER_TOKEN`.",
        },
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
function tagOf({ docs }: { readonly docs: RouteDocs }): string {
  return /^contract\/([a-z-]+)\.md/.exec(docs.contract)?.[1] ?? "http";
}

function withExamplesOf(yesterday: string, { docs, ...route }: Route): Route {
  const { request } = docs;
  return { ...route, docs: typeof request === "function" ? { ...docs, request: request(yesterday) } : docs };
}

function documented(route: Route, server: string, limits: WrittenLimits): OpenApiOperation {
  const operation = operationOf(route, limits);
  return { ...operation, "x-codeSamples": codeSamples(route.method, templateOf(route.path), operation, server) };
}

function openOperation(endpoint: OpenEndpoint, server: string, limits: WrittenLimits): OpenApiOperation {
  const { path, parameters = [], docs, limit } = endpoint;
  const byStatus = problemsByStatus(docs.problems ?? []);
  const operation = {
    ...describedBy(endpoint, "get"),
    security: [],
    parameters: [...pathParametersOf(path), ...parameters, ...(isVersioned(docs) ? [ifNoneMatch] : [])],
    responses: responsesOf(docs, { byStatus, path: instanceOf(path) }, ["X-Request-Id"]),
    "x-permissions": ["anyone"],
    "x-rate-limit": limit === undefined ? "none" : limits(limit),
  };
  return { ...operation, "x-codeSamples": codeSamples("get", templateOf(path), operation, server) };
}

function describedBy(described: { readonly path: string; readonly docs: RouteDocs }, method: string) {
  const { path, docs } = described;
  return {
    operationId: [method, ...path.split(/[^A-Za-z0-9]+/)].filter((part) => part !== "").join("_"),
    summary: docs.summary,
    description: `${docs.description}\n\nRules: \`docs/${docs.contract}\`.`,
    tags: [tagOf(described)] as const,
  };
}

function operationOf(route: Route, limits: WrittenLimits): Omit<OpenApiOperation, "x-codeSamples"> {
  const { docs, method, path, operation } = route;
  const { limit = "other" } = route;
  return {
    ...describedBy(route, method),
    security: [
      { bearer: [] },
      ...(route.serviceApiKey === true ? [{ serviceApiKey: [] }] : []),
      ...(route.beacon === true ? [{ beaconToken: [] }] : []),
    ],
    parameters: [...pathParametersOf(path), ...queryParametersOf(route), ...headerParametersOf(route)],
    ...requestBodyOf(route),
    responses: responsesOf(docs, { byStatus: problemsOf(route), path: instanceOf(path) }, [
      ...(["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const),
      ...(method === "get" ? [] : (["X-Log-Position"] as const)),
      ...(route.idempotent === true ? (["Idempotent-Replayed"] as const) : []),
      ...describedHeaders(route.headers),
    ]),
    "x-permissions": permissions[operation],
    "x-rate-limit": limits(...limitsOfRoute(limit, permissions[operation])),
  };
}

/** The limits of a route, of which each caller has one: operators have `other` (contract/limits.md#rate-limits). */
function limitsOfRoute(limit: RouteLimit, callers: readonly string[]): readonly RateLimitName[] {
  if (limit === "ingest") return ["ingest-api", "ingest-sdk"];
  return limit !== "other" && callers.includes("operator") ? [limit, "other"] : [limit];
}

type WrittenLimits = (...names: readonly RateLimitName[]) => string;

/** The limits of this instance, by name. */
function writtenLimits(limits: RateLimits | "off"): WrittenLimits {
  if (limits === "off") return () => "none";
  return (...names) => names.map((name) => `${name}: ${limits[name].count} in ${limits[name].seconds} s`).join("; ");
}

/** The path of an example call. */
function instanceOf(path: string): string {
  return examplePath(templateOf(path), pathParametersOf(path));
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
  const repeated = { name: "api_key", in: "query", required: true, description: "The same key again." } as const;
  const key: readonly Parameter[] = apiKey === true ? [{ ...repeated, schema: text, example: tokenExample }] : [];
  if (typeof query !== "object") return key;
  const { properties = {}, required = [] } = query;
  const declared = Object.entries(properties).map(([name, schema]): Parameter => {
    const { description = null } = typeof schema === "object" ? schema : {};
    const described = description === null ? {} : { description };
    return { name, in: "query", ...(required.includes(name) ? { required: true } : {}), ...described, schema };
  });
  return [...key, ...declared];
}

const ifNoneMatch: Parameter = {
  name: "If-None-Match",
  in: "header",
  description: "The `ETag` of content that the caller has: if it is current, the response is 304.",
  schema: { type: "string" },
};

function headerParametersOf({ idempotent, reads, maxWaitMs: waitMs = maxWaitMs, docs }: Route): readonly Parameter[] {
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
    description: `Waits up to ${waitMs / 1_000} s until the read models include this log position.`,
    schema: { type: "string", pattern: "^\\d{1,19}$" },
  };
  return [
    ...(idempotent === true ? [key] : []),
    ...(reads === undefined ? [] : [minPosition]),
    ...(isVersioned(docs) ? [ifNoneMatch] : []),
    language,
  ];
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
