import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { JSONSchema } from "json-schema-to-ts";
import type { FieldFault } from "../response/problem.ts";
import { addFormats } from "./formats.ts";

/** Faults of a value, in words; empty when it is as its schema says. */
export type Validator = (value: unknown) => readonly FieldFault[];

/** An answer names so many faults at most. */
const mostFaults = 50;
/** Looking for every fault costs memory for each: beyond so many values only the first is named. */
const mostValuesSearched = 20_000;
/** Deeper than any schema: nothing that walks a value may run out of stack. */
const deepest = 64;

const quick = newAjv(false);
const thorough = newAjv(true);

/**
 * Compiles a schema, once. Unknown formats and keywords are errors here, at start. Valid values pass a validator that
 * stops at the first fault; only what it refuses is searched for all of them.
 * @param root where the value stands in a request: the first element of each `loc`
 */
export function compileValidator(schema: JSONSchema, root: "body" | "query" | "path"): Validator {
  const isValid = quick.compile(schema as object);
  let findAll: ValidateFunction | null = null;
  return (value) => {
    if (isValid(value)) return [];
    let errors = isValid.errors ?? [];
    if (countValues(value, mostValuesSearched, 0) < mostValuesSearched) {
      findAll ??= thorough.compile(schema as object);
      findAll(value);
      errors = findAll.errors ?? errors;
    }
    return errors.slice(0, mostFaults).map((error) => faultOf(error, root, value));
  };
}

function newAjv(allErrors: boolean): Ajv2020 {
  return addFormats(new Ajv2020({ strict: true, allErrors, allowUnionTypes: true, ownProperties: true }));
}

function faultOf(error: ErrorObject, root: string, value: unknown): FieldFault {
  const loc: (string | number)[] = [root];
  let at = value;
  for (const token of error.instancePath.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    loc.push(Array.isArray(at) ? Number(key) : key);
    at = (at as { readonly [name: string]: unknown } | null)?.[key];
  }
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = error.params;
  const child = missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName;
  if (typeof child === "string") loc.push(child);
  return { loc, ...wordsOf(error) };
}

function wordsOf({ keyword, params, message }: ErrorObject): Pick<FieldFault, "msg" | "type"> {
  switch (keyword) {
    case "required":
    case "dependentRequired":
      return { msg: "is required", type: "missing" };
    case "additionalProperties":
    case "unevaluatedProperties":
      return { msg: "is not a known field", type: "unknown_field" };
    case "type":
      return { msg: `must be ${[params.type].flat().join(" or ")}`, type: "wrong_type" };
    case "enum":
      return { msg: `must be one of ${params.allowedValues.map(String).join(", ")}`, type: "not_allowed" };
    case "const":
      return { msg: `must be ${JSON.stringify(params.allowedValue)}`, type: "not_allowed" };
    case "format":
      return { msg: `must be a valid ${params.format}`, type: "wrong_format" };
    case "pattern":
      return { msg: `must match ${params.pattern}`, type: "wrong_format" };
    case "minLength":
    case "minItems":
    case "minProperties":
      return { msg: `must have at least ${params.limit} ${unitOf(keyword)}`, type: "too_short" };
    case "maxLength":
    case "maxItems":
    case "maxProperties":
      return { msg: `must have at most ${params.limit} ${unitOf(keyword)}`, type: "too_long" };
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return { msg: `must be ${params.comparison} ${params.limit}`, type: "out_of_range" };
    default:
      return { msg: message ?? "is not valid", type: "invalid" };
  }
}

function unitOf(keyword: string): string {
  if (keyword.endsWith("Length")) return "characters";
  return keyword.endsWith("Items") ? "items" : "fields";
}

/** How many values there are, `most` where that is not worth counting. */
function countValues(value: unknown, most: number, depth: number): number {
  if (typeof value !== "object" || value === null) return 1;
  if (depth === deepest) return most;
  let count = 1;
  for (const child of Array.isArray(value) ? value : Object.values(value)) {
    count += countValues(child, most - count, depth + 1);
    if (count >= most) return count;
  }
  return count;
}
