import { isUtf8 } from "node:buffer";
import { isWellFormedText } from "../../../domain/values/text.ts";
import type { FieldFault } from "../response/problem.ts";

/** Deeper than any body of the API; keeps everything that walks a body from running out of stack. */
const deepest = 64;
const byteOrderMark = 0xfeff;

export type ParsedJson =
  | { readonly outcome: "parsed"; readonly value: unknown }
  /** Not JSON, not UTF-8, or nested beyond reason. */
  | { readonly outcome: "invalid" }
  /** JSON that holds what nobody may send (contract/http.md#text). `loc` starts below the body. */
  | { readonly outcome: "refused"; readonly fault: FieldFault };

/**
 * Parses a body. Refused are U+0000 and lone surrogates in texts and keys, the key `__proto__`, and numbers beyond a
 * double, anywhere in it, and what is nested beyond reason; with `anyText` all that is left to whoever judges the
 * body's items.
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
  // The text is UTF-8 and JSON takes no raw control characters: only escapes can spell what is illegal.
  const fault = faultIn(value, text.includes("\\u") || text.includes("__proto__"));
  if (fault === null) return { outcome: "parsed", value };
  return fault === "nesting" ? { outcome: "invalid" } : { outcome: "refused", fault };
}

/**
 * The first part of a value, parsed with `anyText`, that nobody may send; null when there is none. `loc` starts below
 * the value. What is nested beyond reason is left to the schema, which no such value meets.
 */
export function illegalPart(value: unknown): FieldFault | null {
  const fault = faultIn(value, true);
  return fault === "nesting" ? null : fault;
}

const offences = {
  text: { msg: "must not hold U+0000 or lone surrogates", type: "illegal_text" },
  key: { msg: "is not a known field", type: "unknown_field" },
  number: { msg: "must be a finite number", type: "out_of_range" },
} as const;

interface Found {
  readonly offence: keyof typeof offences | "nesting";
  /** Where it is, the innermost key first: what is clean costs no path. */
  readonly keys: (string | number)[];
}

function faultIn(value: unknown, readsTexts: boolean): FieldFault | "nesting" | null {
  const found = offenceIn(value, 0, readsTexts);
  if (found === null) return null;
  if (found.offence === "nesting") return "nesting";
  return { loc: found.keys.reverse(), ...offences[found.offence] };
}

/** @param readsTexts whether texts and keys can be illegal at all */
function offenceIn(value: unknown, depth: number, readsTexts: boolean): Found | null {
  if (typeof value === "string") return readsTexts && !isWellFormedText(value) ? { offence: "text", keys: [] } : null;
  if (typeof value === "number") return Number.isFinite(value) ? null : { offence: "number", keys: [] };
  if (typeof value !== "object" || value === null) return null;
  if (depth === deepest) return { offence: "nesting", keys: [] };
  return Array.isArray(value)
    ? offenceInArray(value, depth, readsTexts)
    : offenceInObject(value as { readonly [key: string]: unknown }, depth, readsTexts);
}

function offenceInArray(items: readonly unknown[], depth: number, readsTexts: boolean): Found | null {
  for (let index = 0; index < items.length; index += 1) {
    const found = offenceIn(items[index], depth + 1, readsTexts);
    if (found !== null) {
      found.keys.push(index);
      return found;
    }
  }
  return null;
}

function offenceInObject(
  fields: { readonly [key: string]: unknown },
  depth: number,
  readsTexts: boolean,
): Found | null {
  for (const key in fields) {
    if (readsTexts && key === "__proto__") return { offence: "key", keys: [key] };
    if (readsTexts && !isWellFormedText(key)) return { offence: "text", keys: [] };
    const found = offenceIn(fields[key], depth + 1, readsTexts);
    if (found !== null) {
      found.keys.push(key);
      return found;
    }
  }
  return null;
}
