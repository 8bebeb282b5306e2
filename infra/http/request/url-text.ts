import type { RequestHandler } from "express";
import type { JSONSchema } from "json-schema-to-ts";
import { type Fault, fault } from "../../../domain/fault.ts";
import { isWellFormedText } from "../../../domain/values/text.ts";
import { percentDecoded } from "../../../domain/values/url.ts";

type QueryValue = string | number | boolean | (string | number | boolean)[];

export type ParsedQuery =
  | { readonly outcome: "parsed"; readonly query: { readonly [name: string]: QueryValue } }
  | { readonly outcome: "refused"; readonly fault: Fault };

/** Types of query parameters; those without a type in the schema have an empty list. */
export type QueryTypes = ReadonlyMap<string, readonly string[]>;

/** The types of a schema's properties, by name. */
export function queryTypes(schema: JSONSchema | undefined): QueryTypes {
  const types = new Map<string, readonly string[]>();
  if (typeof schema !== "object") return types;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    types.set(name, typeof property === "object" ? [property.type ?? []].flat() : []);
  }
  return types;
}

/**
 * Decodes the parameters of a URL's query (contract/http.md#unknown-fields, contract/http.md#text). Unknown parameters are
 * ignored. Texts of numbers and booleans are converted where the type requires it; others are left for the schema to
 * refuse. A repeated parameter is a list. Refuses text that is not percent-encoded UTF-8 or contains U+0000.
 */
export function parseQuery(url: string, types: QueryTypes): ParsedQuery {
  const query: { [name: string]: QueryValue } = Object.create(null);
  for (const [name, text] of parametersOf(url)) {
    if (name === null || text === null) {
      const path = name === null ? ["query"] : ["query", name];
      return { outcome: "refused", fault: fault("illegal_text.percent_encoded", path) };
    }
    const type = types.get(name);
    if (type === undefined) continue;
    const value = read(text, type);
    const earlier = query[name];
    if (earlier === undefined) query[name] = type.includes("array") ? [value] : value;
    else if (Array.isArray(earlier)) earlier.push(value);
    else query[name] = [earlier, value];
  }
  return { outcome: "parsed", query };
}

/** All values of a query parameter, in order; those that cannot be decoded are empty. */
export function parameterValues(url: string, name: string): readonly string[] {
  return [...parametersOf(url)].flatMap(([found, text]) => (found === name ? [text ?? ""] : []));
}

/** The parameters of a URL's query, in order; null: cannot be decoded. */
function* parametersOf(url: string): Generator<readonly [name: string | null, text: string | null]> {
  const start = url.indexOf("?");
  if (start === -1) return;
  for (const pair of url.slice(start + 1).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    yield [decode(equals === -1 ? pair : pair.slice(0, equals)), decode(equals === -1 ? "" : pair.slice(equals + 1))];
  }
}

function decode(text: string): string | null {
  // Nothing is encoded, and Node refuses URLs with U+0000 or characters beyond Latin-1.
  if (!text.includes("%") && !text.includes("+")) return text;
  const decoded = percentDecoded(text.includes("+") ? text.replaceAll("+", " ") : text);
  return decoded !== null && isWellFormedText(decoded) ? decoded : null;
}

function read(text: string, types: readonly string[]): string | number | boolean {
  if ((types.includes("integer") || types.includes("number")) && /^-?\d{1,40}(\.\d{1,15})?$/.test(text)) {
    return Number(text);
  }
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** Replaces segments that cannot be decoded; refused later like any U+0000 in a path (contract/http.md#statuses). */
const undecodable = "%00";

/**
 * Replaces path segments that are not percent-encoded UTF-8 by U+0000. Express would respond to them before any route
 * runs; so the caller is authenticated first, and each route refuses with its own status.
 */
export function pathsDecodable(): RequestHandler {
  return (request, _response, next) => {
    if (request.url.includes("%")) {
      const end = request.url.indexOf("?");
      const path = end === -1 ? request.url : request.url.slice(0, end);
      if (percentDecoded(path) === null) {
        request.url =
          path
            .split("/")
            .map((segment) => (percentDecoded(segment) === null ? undecodable : segment))
            .join("/") + request.url.slice(path.length);
      }
    }
    next();
  };
}

/** The fault of the first path parameter with illegal text (contract/http.md#text); null when there is none. */
export function pathFault(params: { readonly [name: string]: string }): Fault | null {
  for (const name of Object.keys(params)) {
    const value = params[name];
    if (value !== undefined && !isWellFormedText(value)) return fault("illegal_text.percent_encoded", ["path", name]);
  }
  return null;
}
