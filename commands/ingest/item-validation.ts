import type { JSONSchema } from "json-schema-to-ts";
import { type Fault, fault } from "../../domain/fault.ts";
import { isWellFormedJson } from "../../domain/values/text.ts";
import { compileValidator } from "../../infra/http/request/validation.ts";

/** Maximum length of a path in a fault: an unknown key may be as long as the body. */
const maxPathLength = 128;

/**
 * A validator of one item of a bulk request: its shape by a schema, compiled once, and its texts (contract/http.md#text).
 * Returns null for a valid item, which then has the type of the schema.
 */
export function shapeValidator(schema: JSONSchema): (item: unknown) => Fault | null {
  const faultsOf = compileValidator(schema, "body");
  return (item) => {
    const [first, ...others] = faultsOf(item);
    if (first === undefined) return isWellFormedJson(item) ? null : fault("INVALID_TEXT", []);
    const path = first.path.slice(1);
    const field = path.join(".").slice(0, maxPathLength);
    const code = field === "" ? "INVALID_FIELD.item" : "INVALID_FIELD";
    return fault(code, path, { field, fault: first, others: others.length });
  };
}
