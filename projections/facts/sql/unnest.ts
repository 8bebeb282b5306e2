type Cell = string | number | bigint | boolean | null;

/** A column of rows on their way into a statement: its type in Postgres and its value in a row. */
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

/** Much cheaper than the driver's own, which looks at every value for what it might be. */
function arrayLiteral<Row>(rows: readonly Row[], { type, of }: Column<Row>): string {
  const isText = type === "text" || type === "jsonb";
  const cells = rows.map((row) => {
    const value = of(row);
    if (value === null) return "NULL";
    return isText ? quoted(String(value)) : String(value);
  });
  return `{${cells.join(",")}}`;
}

/**
 * Postgres has no U+0000; the edge refuses it (contract/http.md#text), what has come in all the same is kept readable.
 */
function quoted(text: string): string {
  const escaped = /["\\]/.test(text) ? text.replace(/["\\]/g, "\\$&") : text;
  return `"${escaped.includes("\0") ? escaped.replaceAll("\0", "\ufffd") : escaped}"`;
}
