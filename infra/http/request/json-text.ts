import { isUtf8 } from "node:buffer";
import { unknownKey } from "../../../domain/did-you-mean.ts";
import { type Fault, fault } from "../../../domain/fault.ts";
import { isWellFormedText } from "../../../domain/values/text.ts";

/** More than any body of the API needs; keeps recursion over a body from exhausting the stack. */
const maxDepth = 64;
const byteOrderMark = 0xfeff;

export type ParsedJson =
  | { readonly outcome: "parsed"; readonly value: unknown }
  /** Not JSON, not UTF-8, or nested too deeply. */
  | { readonly outcome: "invalid" }
  /** JSON with an illegal value (contract/http.md#text). The fault's path starts below the body. */
  | { readonly outcome: "refused"; readonly fault: Fault };

/**
 * Parses a body. Refuses U+0000 and unpaired surrogates in texts and keys, the key `__proto__`, numbers beyond a double, and
 * values nested too deeply. With `anyText` these pass: the items of the body are then checked by {@link illegalPart}.
 */
export function parseJson(bytes: Buffer, { anyText = false } = {}): ParsedJson {
  if (!isUtf8(bytes)) return { outcome: "invalid" };
  const decoded = bytes.toString("utf8");
  const text = decoded.charCodeAt(0) === byteOrderMark ? decoded.slice(1) : decoded;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { outcome: "invalid" };
  }
  if (anyText) return { outcome: "parsed", value };
  // The text is UTF-8, and JSON has no raw control characters: only escapes can contain illegal text.
  const found = faultIn(value, text.includes("\\u") || text.includes("__proto__"));
  if (found === null) return { outcome: "parsed", value };
  return found === "nesting" ? { outcome: "invalid" } : { outcome: "refused", fault: found };
}

/**
 * The first illegal part of a value that was parsed with `anyText`; null when there is none. Its path starts below the
 * value. Values nested too deeply are left to the schema: a field rejects them or drops them.
 */
export function illegalPart(value: unknown): Fault | null {
  const found = faultIn(value, true);
  return found === "nesting" ? null : found;
}

interface Found {
  readonly code: "illegal_text.json" | "unknown_field" | "out_of_range.finite" | "nesting";
  /** Its path, innermost key first. */
  readonly keys: (string | number)[];
}

function faultIn(value: unknown, readsTexts: boolean): Fault | "nesting" | null {
  const found = find(value, 0, readsTexts);
  if (found === null) return null;
  if (found.code === "nesting") return "nesting";
  const path = found.keys.toReversed();
  return found.code === "unknown_field" ? unknownKey(found.code, path, String(found.keys[0])) : fault(found.code, path);
}

/** @param readsTexts whether texts and keys can be illegal */
function find(value: unknown, depth: number, readsTexts: boolean): Found | null {
  if (typeof value === "string")
    return readsTexts && !isWellFormedText(value) ? { code: "illegal_text.json", keys: [] } : null;
  if (typeof value === "number") return Number.isFinite(value) ? null : { code: "out_of_range.finite", keys: [] };
  if (typeof value !== "object" || value === null) return null;
  if (depth === maxDepth) return { code: "nesting", keys: [] };
  return Array.isArray(value)
    ? findInArray(value, depth, readsTexts)
    : findInObject(value as { readonly [key: string]: unknown }, depth, readsTexts);
}

function findInArray(items: readonly unknown[], depth: number, readsTexts: boolean): Found | null {
  for (let index = 0; index < items.length; index += 1) {
    const found = find(items[index], depth + 1, readsTexts);
    if (found !== null) {
      found.keys.push(index);
      return found;
    }
  }
  return null;
}

function findInObject(fields: { readonly [key: string]: unknown }, depth: number, readsTexts: boolean): Found | null {
  for (const key in fields) {
    if (readsTexts && key === "__proto__") return { code: "unknown_field", keys: [key] };
    if (readsTexts && !isWellFormedText(key)) return { code: "illegal_text.json", keys: [] };
    const found = find(fields[key], depth + 1, readsTexts);
    if (found !== null) {
      found.keys.push(key);
      return found;
    }
  }
  return null;
}
