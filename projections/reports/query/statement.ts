import type { Knex } from "knex";
import type { ReportSort } from "../../../domain/report-tasks/events.ts";

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

/**
 * The `order by` of a report's groups (contract/reports.md#sorting): the requested sorts, else a default field, the
 * largest first; then the group-bys. Nulls last.
 * @param columnOf the column of a field that is no group-by, whose column is `g0`, `g1`, ...; undefined: it is none
 */
export function orderBy(
  { sorts, groupBys }: { readonly sorts: readonly ReportSort[]; readonly groupBys: readonly string[] },
  defaultField: string,
  columnOf: (field: string) => string | undefined,
): string {
  const requested = sorts.length > 0 ? sorts : [{ fieldName: defaultField, isAscending: false }];
  const sorted = requested.map(({ fieldName, isAscending }) => {
    const group = groupBys.indexOf(fieldName);
    const column = columnOf(fieldName) ?? (group < 0 ? undefined : `g${group} collate "C"`);
    if (column === undefined) throw new Error(`A recorded report sorts by ${fieldName}`);
    return `${column} ${isAscending ? "asc" : "desc"} nulls last`;
  });
  return [...sorted, ...groupBys.map((_, index) => `g${index} collate "C" asc nulls last`)].join(", ");
}
