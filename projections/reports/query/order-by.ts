import type { ReportSort } from "../../../domain/report-tasks/events.ts";

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
