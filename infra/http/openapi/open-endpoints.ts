import type { RateLimitName } from "../../config/rate-limits.ts";
import { problems } from "../response/problem.ts";
import { type Listener, servesOperations, servesPublic } from "../server/listeners.ts";
import type { Parameter } from "./open-api.ts";
import { mapOf, object, type RouteDocs, text } from "./route-docs.ts";

/** A path outside the table of routes that responds to GET without a token. */
export interface OpenEndpoint {
  readonly path: string;
  readonly parameters?: readonly Parameter[];
  readonly docs: RouteDocs;
  /** The rate limit of an address; absent: none. */
  readonly limit?: RateLimitName;
}

const readiness = object({
  status: text,
  checks: mapOf(object({ ok: { type: "boolean" } }, { detail: text })),
});
const ready = { status: "ready", checks: { stores: { ok: true }, "read models": { ok: true } } };
const unready = { status: "not ready", checks: { stores: { ok: false, detail: "the event store cannot be reached" } } };

const health: readonly OpenEndpoint[] = [
  {
    path: "/livez",
    docs: {
      summary: "Check that the process runs",
      description: "Returns 200 as soon as the process listens.",
      contract: "contract/http.md#operations",
      responses: { 200: { schema: object({ status: text }), example: { status: "alive" } } },
    },
  },
  {
    path: "/readyz",
    docs: {
      summary: "Check that the process can serve",
      description: "Returns 503 while it starts or stops, or while something that it needs fails or lags.",
      contract: "contract/http.md#operations",
      responses: { 200: { schema: readiness, example: ready }, 503: { schema: readiness, example: unready } },
    },
  },
];

const metrics: readonly OpenEndpoint[] = [
  {
    path: "/metrics",
    docs: {
      summary: "Read the metrics",
      description: "Returns the metrics of the process for Prometheus; `docs/metrics.md` explains each.",
      contract: "contract/http.md#operations",
      responses: { 200: { mediaType: "text/plain", example: "clicks_lost_total 0\n" } },
      problems: [problems.rateLimited],
    },
    limit: "anonymous",
  },
  {
    path: "/version",
    docs: {
      summary: "Read the version",
      description: "Returns the version of the program.",
      contract: "contract/http.md#operations",
      responses: { 200: { schema: object({ version: text }), example: { version: "0.1.0" } } },
    },
  },
];

const documents: readonly OpenEndpoint[] = [
  {
    path: "/openapi.json",
    docs: {
      summary: "Read this description",
      description: "Returns the description of every endpoint of the listener as OpenAPI 3.1, with an `ETag`.",
      contract: "contract/http.md#openapi",
      responses: { 200: { schema: { type: "object" }, example: { openapi: "3.1.0" } }, 304: null },
      problems: [problems.starting],
    },
  },
  {
    path: "/docs",
    docs: {
      summary: "Read this description as a page",
      description: "Returns the description of every endpoint as a searchable page without external resources.",
      contract: "contract/http.md#openapi",
      responses: { 200: { mediaType: "text/html", example: "<!doctype html>" }, 304: null },
      problems: [problems.starting],
    },
  },
];

const webSnippet: OpenEndpoint = {
  path: "/tl.js",
  docs: {
    summary: "Load the web snippet",
    description: "Returns the script that sends app events from web pages.",
    contract: "contract/web-snippet.md#the-tag",
    responses: { 200: { mediaType: "text/javascript", example: "!function(){}();" }, 304: null },
    problems: [problems.starting],
  },
};

/** What a listener serves without a token, besides links and downloads. */
export function openEndpointsOf(listener: Listener): readonly OpenEndpoint[] {
  return [
    ...(servesPublic(listener) ? [...health, webSnippet] : []),
    ...(servesOperations(listener) ? metrics : []),
    ...documents,
  ];
}
