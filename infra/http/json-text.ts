import { isUtf8 } from "node:buffer";
import { isWellFormedText } from "../../domain/well-formed-text.ts";
import type { FieldFault } from "./problem.ts";

/** Deeper than any body of the API; keeps everything that walks a body from running out of stack. */
const deepest = 64;
const byteOrderMark = 0xfeff;

export type ParsedJson =
  | { readonly outcome: "parsed"; readonly value: unknown }
  /** Not JSON, not UTF-8, or nested beyond reason. */
  | { readonly outcome: "invalid" }
  /** JSON that holds what nobody may send (D1.6). `loc` starts below the body. */
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
  const found = offenceIn(value, 0, text.includes("\\u") || text.includes("__proto__"));
  if (found === null) return { outcome: "parsed", value };
  if (found.offence === "nesting") return { outcome: "invalid" };
  return { outcome: "refused", fault: { loc: found.keys.reverse(), ...offences[found.offence] } };
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
