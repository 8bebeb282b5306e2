import { type Listener, servesOperations, servesPublic } from "../server/listeners.ts";
import type { Parameter } from "./open-api.ts";
import { mapOf, object, type RouteDocs, text } from "./route-docs.ts";

/** A path outside the table of routes that responds to GET without a token. */
export interface OpenEndpoint {
  readonly path: string;
  readonly parameters?: readonly Parameter[];
  readonly docs: RouteDocs;
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
      problems: [
        { status: 429, code: "RATE_LIMITED" },
        { status: 503, code: "STARTING" },
      ],
    },
  },
  {
    path: "/version",
    docs: {
      summary: "Read the version",
      description: "Returns the version of the program.",
      contract: "contract/http.md#operations",
      responses: { 200: { schema: object({ version: text }), example: { version: "0.1.0" } } },
      problems: [{ status: 503, code: "STARTING" }],
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
    },
  },
  {
    path: "/docs",
    docs: {
      summary: "Read this description as a page",
      description: "Returns the description of every endpoint as a searchable page without external resources.",
      contract: "contract/http.md#openapi",
      responses: { 200: { mediaType: "text/html", example: "<!doctype html>" }, 304: null },
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
  },
};

const required = (name: string, description: string, example: string): Parameter => ({
  ...{ name, in: "query", required: true, description, schema: text, example },
});
const download: OpenEndpoint = {
  path: "/log-export/api/v3/downloads/:report_id",
  parameters: [
    required("expires", "When the address expires, in seconds since the epoch.", "1767571200"),
    required("signature", "The signature of the address.", "0".repeat(64)),
    { name: "format", in: "query", description: "`csv` (default) or `parquet`.", schema: text },
  ],
  docs: {
    summary: "Download the file of an export",
    description: "The whole address is in the response about the export. `Range` resumes the download of a CSV file.",
    contract: "contract/exports.md#downloading",
    responses: {
      200: [
        { mediaType: "text/csv", example: "event_datetime,event_category\r\n" },
        { mediaType: "application/vnd.apache.parquet", example: "PAR1" },
      ],
      206: { mediaType: "text/csv", example: "event_category\r\n" },
    },
    problems: [
      { status: 400, code: "VALIDATION_FAILED" },
      { status: 403, code: "SIGNATURE_INVALID" },
      { status: 403, code: "EXPORT_URL_EXPIRED" },
      { status: 404, code: "NOT_FOUND" },
      { status: 416, code: "RANGE_NOT_SATISFIABLE" },
      { status: 503, code: "OVERLOADED" },
      { status: 503, code: "SERVICE_UNAVAILABLE" },
      { status: 500, code: "INTERNAL_ERROR" },
    ],
  },
};

/** The paths that a listener serves without a token, besides links. */
export function openEndpointsOf(listener: Listener): readonly OpenEndpoint[] {
  return [
    ...(servesPublic(listener) ? [...health, webSnippet, download] : []),
    ...(servesOperations(listener) ? metrics : []),
    ...documents,
  ];
}
