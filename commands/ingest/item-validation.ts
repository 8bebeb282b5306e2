import type { JSONSchema } from "json-schema-to-ts";
import { isWellFormedJson } from "../../domain/values/text.ts";
import { compileValidator } from "../../infra/http/request/validation.ts";
import type { RejectedItem } from "./bulk-ingest.ts";

/** Faults of an item's shape: what no schema's rules of a feature name. */
export type ShapeFault = "INVALID_FIELD" | "INVALID_TEXT";

/** An unknown key may be as long as the body: so much of a path is said again. */
const longestField = 128;

const illegal: RejectedItem<ShapeFault> = {
  code: "INVALID_TEXT",
  message: "Texts must not hold U+0000 or lone surrogates.",
};

/**
 * Judges the shape of one item of a bulk request by a schema, compiled once, and its texts (contract/http.md#text).
 * Answers null when nothing speaks against it: then it is what the schema says.
 */
export function shapeValidator(schema: JSONSchema): (item: unknown) => RejectedItem<ShapeFault> | null {
  const faultsOf = compileValidator(schema, "body");
  return (item) => {
    const [fault, ...others] = faultsOf(item);
    if (fault === undefined) return isWellFormedJson(item) ? null : illegal;
    const field = fault.loc.slice(1).join(".").slice(0, longestField);
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    return { code: "INVALID_FIELD", message: `${field === "" ? "The item" : field} ${fault.msg}${more}.` };
  };
}
