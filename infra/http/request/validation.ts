import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { JSONSchema } from "json-schema-to-ts";
import { notOneOf, suggestionOf, unknownKey } from "../../../domain/did-you-mean.ts";
import { type Fault, fault, type MessageParams, maxFaults } from "../../../domain/fault.ts";
import { timeZones } from "../../../domain/values/time-zones.ts";
import { addFormats } from "./formats.ts";

/** The faults of a value; empty when it matches its schema. */
export type Validator = (value: unknown) => readonly Fault[];

/** Values. In larger ones only the first fault is reported: finding all costs time and memory for each. */
const defaultMaxSearched = 20_000;
/** More than any schema needs; keeps recursion over a value from exhausting the stack. */
const maxDepth = 64;

/** Neither abbreviations, as EST is not what KST means, nor `Etc/GMT+9`, which is 9 hours behind UTC. */
const suggestedZones = [...timeZones].filter((name) => /^(?!Etc\/).+\//.test(name) || name === "UTC");

const quick = newAjv(false);
const thorough = newAjv(true);

/**
 * A schema's validator. It compiles the schema at its first value, so that a start does not wait for schemas that are
 * not needed soon; the first value throws for unknown formats and keywords.
 * @param root part of the request: the first element of each fault's path
 * @param maxSearched of values with so many values inside, or more, only the first fault is reported
 */
export function compileValidator(
  schema: JSONSchema,
  root: "body" | "query" | "path",
  maxSearched = defaultMaxSearched,
): Validator {
  let isValid: ValidateFunction | null = null;
  // Stopping at the first fault is faster, so only invalid values are searched for all faults.
  let findAll: ValidateFunction | null = null;
  return (value) => {
    isValid ??= quick.compile(schema as object);
    if (isValid(value)) return [];
    let errors = isValid.errors ?? [];
    if (countValues(value, maxSearched, 0) < maxSearched) {
      findAll ??= thorough.compile(schema as object);
      findAll(value);
      errors = findAll.errors ?? errors;
    }
    // What is wrong with the name of a property is an error of its own.
    const reported = errors.filter(({ keyword }) => keyword !== "propertyNames");
    return faultsOf(reported, root, value);
  };
}

/** Of several rules that one value breaks, the first is named (contract/http.md#statuses). */
function faultsOf(errors: readonly ErrorObject[], root: string, value: unknown): readonly Fault[] {
  const faults = new Map<string, Fault>();
  for (const error of errors) {
    if (faults.size === maxFaults) break;
    const found = faultOf(error, root, value);
    const place = JSON.stringify(found.path);
    if (!faults.has(place)) faults.set(place, found);
  }
  return [...faults.values()];
}

function newAjv(allErrors: boolean): Ajv2020 {
  return addFormats(
    new Ajv2020({ strict: true, verbose: true, allErrors, allowUnionTypes: true, ownProperties: true }),
  );
}

function faultOf(error: ErrorObject, root: string, value: unknown): Fault {
  const path: (string | number)[] = [root];
  let at = value;
  for (const token of error.instancePath.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(Array.isArray(at) ? Number(key) : key);
    at = (at as { readonly [name: string]: unknown } | null)?.[key];
  }
  const { missingProperty, additionalProperty, unevaluatedProperty } = error.params;
  const child = missingProperty ?? additionalProperty ?? unevaluatedProperty ?? error.propertyName;
  if (typeof child === "string") path.push(child);
  // The later one of the two.
  if (error.keyword === "uniqueItems") path.push(Math.max(error.params.i, error.params.j));
  const unknown = additionalProperty ?? unevaluatedProperty;
  // A parameter that the query has twice.
  if (root === "query" && error.keyword === "type" && Array.isArray(error.data)) return fault("duplicate", path);
  // Where the empty text is allowed, it stands for a missing value.
  if (error.keyword === "enum")
    return notOneOf(path, error.data, error.params.allowedValues.map(String).filter(Boolean));
  if (typeof unknown !== "string") return fault(codeOf(error), path, paramsOf(error));
  return unknownKey("unknown_field", path, unknown, Object.keys(error.parentSchema?.properties ?? {}));
}

const codes: { readonly [keyword: string]: string } = {
  required: "missing",
  dependentRequired: "missing",
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
  uniqueItems: "duplicate",
  not: "invalid.not",
};

/** The title of a schema with a pattern selects the message that describes the pattern. */
function codeOf({ keyword, params, parentSchema }: ErrorObject): string {
  if (keyword === "type") return `wrong_type.${[params.type].flat().join("_or_")}`;
  if (keyword === "pattern" && parentSchema?.title !== undefined) return `wrong_format.${parentSchema.title}`;
  return keyword === "format" ? `wrong_format.${params.format}` : (codes[keyword] ?? "invalid");
}

function paramsOf({ keyword, params, data }: ErrorObject): MessageParams | undefined {
  if (params.format === "time-zone") return { suggestion: suggestionOf(String(data), suggestedZones) };
  if (keyword === "const") return { value: JSON.stringify(params.allowedValue) };
  if (keyword === "pattern") return { pattern: params.pattern };
  return params.limit === undefined ? undefined : { limit: params.limit };
}

/** The number of values in a value, itself included; counts up to `max`, which is also the result for deep nesting. */
function countValues(value: unknown, max: number, depth: number): number {
  if (typeof value !== "object" || value === null) return 1;
  if (depth === maxDepth) return max;
  let count = 1;
  for (const child of Array.isArray(value) ? value : Object.values(value)) {
    count += countValues(child, max - count, depth + 1);
    if (count >= max) return count;
  }
  return count;
}
