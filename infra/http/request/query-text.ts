import type { JSONSchema } from "json-schema-to-ts";
import { type Fault, fault } from "../../../domain/fault.ts";
import { isWellFormedText } from "../../../domain/values/text.ts";

type QueryValue = string | number | boolean | (string | number | boolean)[];

export type ParsedQuery =
  | { readonly outcome: "parsed"; readonly query: { readonly [name: string]: QueryValue } }
  | { readonly outcome: "refused"; readonly fault: Fault };

/** Types that a schema gives its query parameters. */
export type QueryTypes = ReadonlyMap<string, readonly string[]>;

/** What a query's texts are to be read as, from its schema. */
export function queryTypes(schema: JSONSchema | undefined): QueryTypes {
  const types = new Map<string, readonly string[]>();
  if (typeof schema !== "object") return types;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    types.set(name, typeof property === "object" ? [property.type ?? []].flat() : []);
  }
  return types;
}

/**
 * Decodes the parameters of a URL's query (contract/http.md#unknown-fields, contract/http.md#text). Those without a
 * type are ignored; numbers and booleans are read where the type asks for them and the text is one, else left for the
 * schema to refuse. A parameter given twice is a list. Refused is text that is not percent-encoded UTF-8 or holds
 * U+0000.
 */
export function parseQuery(url: string, types: QueryTypes): ParsedQuery {
  const query: { [name: string]: QueryValue } = Object.create(null);
  const start = url.indexOf("?");
  if (start === -1) return { outcome: "parsed", query };
  for (const pair of url.slice(start + 1).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const text = decode(equals === -1 ? "" : pair.slice(equals + 1));
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

/** Every value that a URL's query gives a parameter, in order; what cannot be decoded counts as an empty one. */
export function parameterValues(url: string, name: string): readonly string[] {
  const start = url.indexOf("?");
  if (start === -1) return [];
  return url
    .slice(start + 1)
    .split("&")
    .flatMap((pair) => {
      const equals = pair.indexOf("=");
      if (decode(equals === -1 ? pair : pair.slice(0, equals)) !== name) return [];
      return [equals === -1 ? "" : (decode(pair.slice(equals + 1)) ?? "")];
    });
}

function decode(text: string): string | null {
  // Nothing is encoded, and Node refuses U+0000 in a URL; its other characters are single bytes, never surrogates.
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    const decoded = decodeURIComponent(text.includes("+") ? text.replaceAll("+", " ") : text);
    return isWellFormedText(decoded) ? decoded : null;
  } catch {
    return null;
  }
}

function read(text: string, types: readonly string[]): string | number | boolean {
  if ((types.includes("integer") || types.includes("number")) && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) {
    return Number(text);
  }
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  return text;
}
