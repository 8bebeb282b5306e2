import type { JSONSchema } from "json-schema-to-ts";
import { type Fault, fault } from "../../domain/fault.ts";
import { isWellFormedJson } from "../../domain/values/text.ts";
import { compileValidator } from "../../infra/http/request/validation.ts";

/** An unknown key may be as long as the body: so much of a path is said again. */
const longestField = 128;

/**
 * Judges the shape of one item of a bulk request by a schema, compiled once, and its texts (contract/http.md#text).
 * Answers null when nothing speaks against it: then it is what the schema says.
 */
export function shapeValidator(schema: JSONSchema): (item: unknown) => Fault | null {
  const faultsOf = compileValidator(schema, "body");
  return (item) => {
    const [first, ...others] = faultsOf(item);
    if (first === undefined) return isWellFormedJson(item) ? null : fault("INVALID_TEXT", []);
    const path = first.path.slice(1);
    const field = path.join(".").slice(0, longestField);
    const code = field === "" ? "INVALID_FIELD.item" : "INVALID_FIELD";
    return fault(code, path, { field, fault: first, others: others.length });
  };
}
