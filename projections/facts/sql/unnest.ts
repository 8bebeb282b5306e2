import type { StatementPipeline } from "./statement-pipeline.ts";

type Cell = string | number | bigint | boolean | null;

/** A column of rows that a statement reads: its type in Postgres, and its value in a row. */
export interface Column<Row> {
  readonly type:
    | "bigint"
    | "boolean"
    | "date"
    | "integer"
    | "jsonb"
    | "numeric"
    | "smallint"
    | "text"
    | "timestamptz"
    | "uuid";
  readonly of: (row: Row) => Cell;
}

export type Columns<Row> = { readonly [name: string]: Column<Row> };

/**
 * A set of rows as a statement reads it: one array parameter per column, so that the text never depends on the rows.
 */
export interface UnnestedRows {
  /** `unnest(...) as <alias>(<columns>)`. */
  readonly text: string;
  /** The columns' names, separated by commas. */
  readonly names: string;
  readonly values: readonly string[];
}

/** Rows for the `from` of a statement; with `ordinality` the last column is `n`, counting them from 1. */
export function unnest<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  alias: string,
  { ordinality = false } = {},
): UnnestedRows {
  const entries = Object.entries(columns);
  const names = entries.map(([name]) => name).join(", ");
  const parameters = entries.map(([, { type }]) => `?::${type}[]`).join(", ");
  return {
    text: `unnest(${parameters})${ordinality ? " with ordinality" : ""} as ${alias}(${names}${ordinality ? ", n" : ""})`,
    names,
    values: entries.map(([, column]) => arrayLiteral(rows, column)),
  };
}

/** Inserts rows; `onConflict` is the clause for rows that are stored already, which are an error without it. */
export async function insertRows<Row>(
  { schema, run }: StatementPipeline,
  table: string,
  rows: readonly Row[],
  columns: Columns<Row>,
  onConflict = "",
): Promise<void> {
  if (rows.length === 0) return;
  const { text, names, values } = unnest(rows, columns, "added");
  await run(
    `insert into ${schema}.${table} (${names})
     select ${names}
     from ${text}
     ${onConflict}`,
    values,
  );
}

/** Much cheaper than the driver's conversion, which inspects the type of every value. */
function arrayLiteral<Row>(rows: readonly Row[], { type, of }: Column<Row>): string {
  const isText = type === "text" || type === "jsonb";
  const cells = rows.map((row) => {
    const value = of(row);
    if (value === null) return "NULL";
    return isText ? quoted(String(value)) : String(value);
  });
  return `{${cells.join(",")}}`;
}

/** Postgres text cannot contain U+0000. The edge rejects it (contract/http.md#text); here it is replaced. */
function quoted(text: string): string {
  const escaped = /["\\]/.test(text) ? text.replace(/["\\]/g, "\\$&") : text;
  return `"${escaped.includes("\0") ? escaped.replaceAll("\0", "\ufffd") : escaped}"`;
}

/** JSON without U+0000 and unpaired surrogates, which jsonb cannot contain. They are replaced. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "string" ? member.replaceAll("\0", "\ufffd").replace(/\p{Surrogate}/gu, "\ufffd") : member,
  );
}
