import { isGroupByKey } from "../../../domain/reporting/catalogue/group-bys.ts";
import type { FactKind } from "./fact-kinds.ts";
import { type GroupByColumn, groupByColumns } from "./group-by-columns.ts";

/** The column of a group-by or filter of a validated query. */
export function columnOf(key: string): GroupByColumn {
  if (!isGroupByKey(key)) throw new Error(`A recorded report groups or filters by ${key}, which the catalogue lacks`);
  return groupByColumns[key];
}

/** The names of the columns that a statement groups by: `g0`, `g1`, ... */
export function groupNames(groupBys: readonly unknown[]): readonly string[] {
  return groupBys.map((_, index) => `g${index}`);
}

/** The texts that facts of a kind are grouped by, under those names. */
export function groupTexts(columns: readonly GroupByColumn[], kind: FactKind): readonly string[] {
  return columns.map((column, index) => `(${column[kind].text})::text as g${index}`);
}

/** `group by` of columns. Empty without columns: an aggregate then gives exactly one row, even over no rows. */
export function groupedBy(columns: readonly string[]): string {
  return columns.length === 0 ? "" : `group by ${columns.join(", ")}`;
}
