import { withheldGroupBys } from "../../../domain/reporting/masking.ts";

/**
 * SQL of the group-bys of a row: a fully masked row shows only some of them, so that fully masked rows cannot be
 * counted (contract/reports.md#masking).
 * @param names the columns of the group-bys
 * @param isAnyUnmasked SQL of whether any fact of the row is unmasked
 */
export function shownGroupBys(
  groupBys: readonly string[],
  names: readonly string[],
  isAnyUnmasked: string,
): readonly string[] {
  return groupBys.map((key, index) => {
    const name = names[index] ?? "";
    return withheldGroupBys.includes(key) ? name : `case when ${isAnyUnmasked} then ${name} end as ${name}`;
  });
}

/**
 * A select of rows of groups, in which fully masked groups have the group-bys of {@link shownGroupBys}.
 * @param isAnyUnmasked SQL of whether any fact of a row of the group is unmasked
 * @param columns further columns besides the group-bys
 */
export function mergeWithheldGroups(
  rows: string,
  groupBys: readonly string[],
  names: readonly string[],
  isAnyUnmasked: string,
  columns: readonly string[],
): string {
  const group = names.length === 0 ? "" : `partition by ${names.join(", ")}`;
  return `select ${[...shownGroupBys(groupBys, names, "is_any_of_group_unmasked"), ...columns].join(", ")}
      from (
        select *, bool_or(${isAnyUnmasked}) over (${group}) is true as is_any_of_group_unmasked from ${rows}
      ) as of_group`;
}
