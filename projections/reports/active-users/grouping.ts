import { columnsOf, type GroupByColumn } from "../query/group-by-columns.ts";

/** How a statement groups app events. */
export interface Grouping {
  readonly columns: readonly GroupByColumn[];
  /** The names of its columns, and their texts under those names. */
  readonly names: readonly string[];
  readonly texts: readonly string[];
  /** `order by` of groups: by their values, nulls last; empty when there is one group only. */
  readonly order: string;
}

/** The grouping by a checked query's group-bys. */
export function groupingBy(groupBys: readonly string[]): Grouping {
  const columns = columnsOf(groupBys);
  const names = columns.map((_, index) => `g${index}`);
  return {
    columns,
    names,
    texts: columns.map(({ appEvents }, index) => `(${appEvents.text})::text as g${index}`),
    order: names.length === 0 ? "" : `order by ${names.map((name) => `${name} collate "C" nulls last`).join(", ")}`,
  };
}

/** Without columns an aggregate gives exactly one row, also over nothing. */
export function groupedBy(columns: readonly string[]): string {
  return columns.length === 0 ? "" : `group by ${columns.join(", ")}`;
}
