import { activeUsersValue, noActivity } from "../../../domain/reporting/active-users/catalogue.ts";
import { intervalsOf } from "../../../domain/reporting/active-users/intervals.ts";
import type { ActiveUsersQuery } from "../../../domain/reporting/active-users/query.ts";
import type { ActiveUsersGroup } from "../../../projections/reports/active-users/groups.ts";
import { csvLines, numberCell, textCells } from "../csv-file.ts";
import { valuesOf } from "./response.ts";

const linesPerPiece = 1_000;

/** A whole result as CSV, a line for each interval of each group. Missing values are empty. */
export async function* activeUsersCsv(
  query: ActiveUsersQuery,
  timezone: string,
  groups: readonly ActiveUsersGroup[],
): AsyncGenerator<string> {
  const { count, textOf } = intervalsOf(query, timezone);
  const nothing = query.metrics.map((metric) => activeUsersValue(metric, noActivity));
  yield csvLines([[...query.groupBys, "date", ...query.metrics]]);
  for (const group of groups) {
    const keys = textCells(group.groupBys);
    for (let from = 0; from < count; from += linesPerPiece) {
      const values = [...valuesOf(group, from, Math.min(from + linesPerPiece, count), nothing)];
      yield csvLines(values.map((numbers, index) => [...keys, textOf(from + index), ...numbers.map(numberCell)]));
    }
  }
}
