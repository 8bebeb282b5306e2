import type { StoredRow } from "../../projections/reports/results/stored-rows.ts";

/** A row as it was computed. */
export function computedRow<Row extends { readonly groupBys: StoredRow["groupBys"] }>({ groupBys, cells }: StoredRow) {
  return { groupBys, ...(JSON.parse(cells) as Omit<Row, "groupBys">) };
}

/** The value of a masked cell as text that marks it as a lower bound (contract/reports.md#masking). */
export function lowerBound(value: string | null): string {
  return `${value ?? "0"}+`;
}
