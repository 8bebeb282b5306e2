import type { Knex } from "knex";

/** Adds a value to the parameters and returns its placeholder. */
export type Bind = (value: string | number | bigint | readonly string[]) => string;

/** A statement with its parameters. */
export interface Statement {
  readonly text: string;
  readonly values: { readonly [name: string]: Knex.Value };
}

export async function selectRows<Row>(trx: Knex.Transaction, { text, values }: Statement): Promise<readonly Row[]> {
  const { rows } = await trx.raw<{ rows: Row[] }>(text, values);
  return rows;
}

/**
 * Collects the parameters of one statement: the text contains no value of a caller. Equal values are one
 * parameter, so that equal expressions have equal texts.
 */
export function bindings(): { readonly bind: Bind; readonly values: Statement["values"] } {
  const values: { [name: string]: Knex.Value } = {};
  const names = new Map<string, string>();
  const bind: Bind = (value) => {
    const parameter =
      typeof value === "bigint" ? value.toString() : Array.isArray(value) ? [...value] : (value as string);
    const key = JSON.stringify(parameter);
    const name = names.get(key) ?? `p${names.size}`;
    names.set(key, name);
    values[name] = parameter;
    return `:${name}`;
  };
  return { bind, values };
}
