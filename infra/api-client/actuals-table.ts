import type { ActualsPage } from "./report-pages.ts";

/** The rows of a page as a table: texts of group-bys, then numbers with every digit that the page has. */
export type PageTable = (
  page: string,
  query: object,
) => { readonly columns: readonly string[]; readonly rows: readonly TableRow[] };

export interface TableRow {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
}

/** Unlike the CSV, a table of pages marks masked cells (contract/reports.md#masking). */
export const actualsTable: PageTable = (page, query) => {
  const { groupBys, metrics } = query as { readonly groupBys: readonly string[]; readonly metrics: readonly string[] };
  return {
    columns: [...groupBys, ...metrics],
    rows: withDigits(page).actuals.data.rows.map((row) => ({
      texts: row.groupBys,
      numbers: metrics.map((metric) => row.values[metric]?.viewFormat ?? row.values[metric]?.value ?? ""),
    })),
  };
};

/** A page of actuals with its numbers as texts: JavaScript numbers would lose digits. */
function withDigits(json: string): ActualsPage<string> {
  return JSON.parse(
    json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  );
}
