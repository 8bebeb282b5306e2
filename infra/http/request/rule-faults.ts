import type { JSONSchema } from "json-schema-to-ts";
import type { Fault, Path } from "../../../domain/fault.ts";
import type { Validator } from "./validation.ts";

/** The keywords of a schema from which a matching value is made. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: { readonly [key: string]: Schema };
  readonly items?: Schema;
  readonly minItems?: number;
}

/** Rules that a schema cannot express. `replaced` are required fields whose values are not the caller's. */
type Rules = (body: never, replaced: readonly string[]) => readonly Fault[] | Promise<readonly Fault[]>;

/**
 * Faults that further rules find in the other fields of a body with faults of shape, so that all faults are reported at
 * once. The rules get the body without its faulty fields. If some of these are required, the rules get two bodies, in
 * which different valid values (the first and the last of `examples` or `enum`, or texts) replace them, and faults
 * found in both count. Returns none when no valid replacement can be made.
 */
export async function ruleFaults(
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
