import { appendFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { localDate } from "../../domain/values/local-time.ts";
import { defaultRateLimits } from "../../infra/config/rate-limits.ts";
import { openApiDocument, type Served } from "../../infra/http/openapi/document.ts";
import type { OpenApiDocument } from "../../infra/http/openapi/open-api.ts";
import { addFormats } from "../../infra/http/request/formats.ts";
import { everyOpenEndpoint, everyRoute } from "./every-route.ts";

/** The whole API. */
export const served: Served = {
  routes: everyRoute,
  open: everyOpenEndpoint,
  server: "https://api.example",
  rateLimits: defaultRateLimits,
};

/** What `GET /openapi.json` says of the whole API. */
export const document: OpenApiDocument = openApiDocument(served, "0.0.0", localDate("UTC", Date.now()));

/** Names a file to which each process appends the operations that it has seen succeed, a line each. */
const operationsVariable = "TEST_OPERATIONS_FILE";

interface Operation {
  readonly name: string;
  readonly path: RegExp;
  readonly method: string;
  readonly responses: OpenApiDocument["paths"][string][string]["responses"];
  readonly validators: Map<string, ValidateFunction>;
}

/** Literal segments before parameters: `uploads/rows` is not the upload `rows`. */
const operations: readonly Operation[] = Object.entries(document.paths)
  .sort(([one], [other]) => parametersIn(one) - parametersIn(other))
  .flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      name: `${method.toUpperCase()} ${template}`,
      path: new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      method: method.toUpperCase(),
      responses,
      validators: new Map(),
    })),
  );

/** Every operation as `GET /path/{of}/it`. */
export const operationNames: readonly string[] = operations.map(({ name }) => name);

const seen = new Set<string>();
const ajv = addFormats(new Ajv2020({ strict: false }));

const headersIn = ({ headers = {} }: { readonly headers?: object }): readonly string[] =>
  Object.keys(headers).map((name) => name.toLowerCase());
/** Every header that some response is documented to have, in lower case. */
const knownHeaders = new Set(operations.flatMap(({ responses }) => Object.values(responses).flatMap(headersIn)));
/** Whether a header is the API's, not one of HTTP or for the security of browsers. */
const isOurs = (name: string): boolean =>
  knownHeaders.has(name) || (name.startsWith("x-") && !["x-content-type-options", "x-frame-options"].includes(name));

/**
 * Checks an answer against the document: its status is listed, its media type too, its headers as far as they are the
 * API's, its body matches the schema and has no member beyond it, the code of a problem is listed.
 * @param headers by their names in lower case
 * @throws {Error} that says what the document lacks
 */
export function checkDocumented(
  method: string,
  path: string,
  status: number,
  headers: { readonly [name: string]: unknown },
  json: unknown,
): void {
  const [pathname = ""] = path.split("?", 1);
  const called = method === "HEAD" ? "GET" : method;
  const operation = operations.find((one) => one.method === called && one.path.test(pathname));
  if (operation === undefined || isOfNoRoute(status, json)) return;
  const fail = (what: string): never => {
    throw new Error(`${operation.name} answered ${status}, ${what}, which /openapi.json does not list`);
  };
  const response = operation.responses[status] ?? fail(JSON.stringify(json)?.slice(0, 500));
  if (status < 400) record(operation.name);
  const documented = headersIn(response);
  const undocumented = Object.keys(headers).find((name) => isOurs(name) && !documented.includes(name));
  if (undocumented !== undefined) fail(`the header ${undocumented}`);
  const mediaType = String(headers["content-type"] ?? "");
  if (method === "HEAD" || (mediaType === "" && response.content === undefined)) return;
  const [type = ""] = mediaType.split(";", 1);
  const content = response.content?.[type] ?? fail(`${mediaType}`);
  if (!type.endsWith("json")) return;
  const key = `${status} ${type}`;
  const isValid = operation.validators.get(key) ?? compiled(content.schema, status);
  operation.validators.set(key, isValid);
  if (!isValid(json)) fail(`${ajv.errorsText(isValid.errors)} in ${JSON.stringify(json).slice(0, 500)}`);
}

function parametersIn(template: string): number {
  return template.split("{").length;
}

/**
 * A path that this application does not serve, or not with this method; or a request that the parser of HTTP refuses, and
 * that has no path.
 */
function isOfNoRoute(status: number, json: unknown): boolean {
  const { code, instance } = Object(json) as { readonly code?: string; readonly instance?: string };
  const isUnparsed = code === "BAD_REQUEST" && instance === undefined;
  return isUnparsed || (status === 404 && code === "NOT_FOUND") || status === 405;
}

function compiled(schema: unknown, status: number): ValidateFunction {
  const complete = status < 400 ? closed(schema) : schema;
  return ajv.compile({ ...(complete as object), components: document.components });
}

/** The schema with no members beyond those that it lists. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const within = Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, closed(value)]));
  return "properties" in schema && !("additionalProperties" in schema)
    ? { ...within, additionalProperties: false }
    : within;
}

function record(name: string): void {
  const file = process.env[operationsVariable];
  if (file === undefined || seen.has(name)) return;
  seen.add(name);
  appendFileSync(file, `${name}\n`);
}
