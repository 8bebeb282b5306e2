import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { JSONSchema } from "json-schema-to-ts";
import { type Fault, fault, type MessageParams } from "../../../domain/fault.ts";
import { addFormats } from "./formats.ts";

/** Faults of a value; empty when it is as its schema says. */
export type Validator = (value: unknown) => readonly Fault[];

/** An answer names so many faults at most. */
const maxFaults = 50;
/** Looking for every fault costs memory for each: beyond so many values only the first is named. */
const maxValuesSearched = 20_000;
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
    if (countValues(value, maxValuesSearched, 0) < maxValuesSearched) {
      findAll ??= thorough.compile(schema as object);
      findAll(value);
      errors = findAll.errors ?? errors;
    }
    return errors.slice(0, maxFaults).map((error) => faultOf(error, root, value));
  };
}

function newAjv(allErrors: boolean): Ajv2020 {
  return addFormats(new Ajv2020({ strict: true, allErrors, allowUnionTypes: true, ownProperties: true }));
}

function faultOf(error: ErrorObject, root: string, value: unknown): Fault {
  const path: (string | number)[] = [root];
  let at = value;
  for (const token of error.instancePath.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(Array.isArray(at) ? Number(key) : key);
    at = (at as { readonly [name: string]: unknown } | null)?.[key];
  }
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = error.params;
  const child = missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName;
  if (typeof child === "string") path.push(child);
  return fault(codeOf(error), path, paramsOf(error));
}

const codes: { readonly [keyword: string]: string } = {
  required: "missing",
  dependentRequired: "missing",
  additionalProperties: "unknown_field",
  unevaluatedProperties: "unknown_field",
  enum: "not_allowed.one_of",
  const: "not_allowed.constant",
  pattern: "wrong_format.pattern",
  minLength: "too_short.characters",
  minItems: "too_short.items",
  minProperties: "too_short.fields",
  maxLength: "too_long.characters",
  maxItems: "too_long.items",
  maxProperties: "too_long.fields",
  minimum: "out_of_range.minimum",
  maximum: "out_of_range.maximum",
  exclusiveMinimum: "out_of_range.exclusive_minimum",
  exclusiveMaximum: "out_of_range.exclusive_maximum",
  uniqueItems: "invalid.unique_items",
  propertyNames: "invalid.property_names",
  not: "invalid.not",
};

function codeOf({ keyword, params }: ErrorObject): string {
  if (keyword === "type") return `wrong_type.${[params.type].flat().join("_or_")}`;
  return keyword === "format" ? `wrong_format.${params.format}` : (codes[keyword] ?? "invalid");
}

function paramsOf({ keyword, params }: ErrorObject): MessageParams | undefined {
  if (keyword === "enum") return { values: params.allowedValues.map(String) };
  if (keyword === "const") return { value: JSON.stringify(params.allowedValue) };
  if (keyword === "pattern") return { pattern: params.pattern };
  if (keyword === "uniqueItems") return { i: params.i, j: params.j };
  return params.limit === undefined ? undefined : { limit: params.limit };
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
