import type { Knex } from "knex";

/** Takes a value as a parameter and answers how the statement spells it. */
export type Bind = (value: string | number | bigint | readonly string[]) => string;

/** Collects the parameters of one statement: nothing that a caller sent stands in its text. */
export function bindings(): { readonly bind: Bind; readonly values: { readonly [name: string]: Knex.Value } } {
  const values: { [name: string]: Knex.Value } = {};
  const bind: Bind = (value) => {
    const name = `p${Object.keys(values).length}`;
    values[name] = typeof value === "bigint" ? value.toString() : Array.isArray(value) ? [...value] : (value as string);
    return `:${name}`;
  };
  return { bind, values };
}
