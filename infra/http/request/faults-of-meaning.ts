import type { JSONSchema } from "json-schema-to-ts";
import type { Fault, Path } from "../../../domain/fault.ts";
import type { Validator } from "./validation.ts";

/** The keywords by which a value that matches is made. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: { readonly [key: string]: Schema };
  readonly items?: Schema;
  readonly minItems?: number;
}

/** Rules beside a schema. `replaced` are required fields whose values are not the caller's. */
type Rules = (body: never, replaced: readonly string[]) => readonly Fault[] | Promise<readonly Fault[]>;

/**
 * Faults that rules beside the schema find in a body with faults of shape: in its other fields, whatever the faulty ones
 * hold. The rules get the body without the faulty fields. Where some of these are required, they get two bodies in which
 * values that match the schema stand in for them, as different as can be (the first and the last of `examples` or `enum`,
 * or texts), and what is found in both counts. Nothing is found where no such values are.
 */
export async function faultsOfMeaning(
  body: unknown,
  ofShape: readonly Fault[],
  schema: JSONSchema,
  validate: Validator,
  rules: Rules,
): Promise<readonly Fault[]> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  const { required = [], properties = {} } = schema as Schema;
  const faulty = new Set<unknown>(ofShape.map(({ path }) => path[1]));
  const sound = Object.fromEntries(Object.entries(body).filter(([key]) => !faulty.has(key)));
  const replaced = required.filter((key) => !Object.hasOwn(sound, key));
  const ends = replaced.length === 0 ? (["first"] as const) : (["first", "last"] as const);
  const bodies = ends.map((end) => ({
    ...sound,
    ...Object.fromEntries(replaced.map((key) => [key, standIn(properties[key] ?? {}, end)])),
  }));
  if (bodies.some((one) => validate(one).length > 0)) return [];
  const [first = [], ...others] = await Promise.all(bodies.map((one) => rules(one as never, replaced)));
  return first.filter(
    ({ code, path }) => !faulty.has(path[0]) && others.every((faults) => faults.some(isSame(code, path))),
  );
}

function isSame(code: string, path: Path): (other: Fault) => boolean {
  return (other) => other.code === code && other.path.join("/") === path.join("/");
}

function standIn(schema: Schema, end: "first" | "last"): unknown {
  const values = schema.examples ?? schema.enum;
  if (values !== undefined) return values.at(end === "first" ? 0 : -1);
  if (schema.type === "array") return (schema.minItems ?? 0) === 0 ? [] : [standIn(schema.items ?? {}, end)];
  if (schema.type === "object") {
    const { required = [], properties = {} } = schema;
    return Object.fromEntries(required.map((key) => [key, standIn(properties[key] ?? {}, end)]));
  }
  return schema.type === "boolean" ? end === "last" : end === "first" ? "a" : "z";
}
