import { stringify } from "csv-stringify/sync";
import type { ActiveUsersQuery } from "../../../domain/reporting/active-users/query.ts";
import { activeUsersValue, noActivity } from "../../../domain/reporting/active-users/catalogue.ts";
import { intervalsOf } from "../../../domain/reporting/active-users/intervals.ts";
import type { ActiveUsersGroup } from "../../../projections/reports/active-users/groups.ts";
import { valuesOf } from "./response.ts";

/** Lines that are written at a time. */
const pieceLines = 1_000;

/**
 * A whole result as CSV (RFC 4180), a line for each interval of each group, keys in the first line. Texts that a
 * spreadsheet would run as a formula are neutralised; numbers stand with every digit that is stored. What is missing is
 * empty.
 */
export async function* activeUsersCsv(
  query: ActiveUsersQuery,
  timezone: string,
  groups: readonly ActiveUsersGroup[],
): AsyncGenerator<string> {
  const { count, textOf } = intervalsOf(query, timezone);
  const nothing = query.metrics.map((metric) => activeUsersValue(metric, noActivity));
  yield csv([[...query.groupBys, "date", ...query.metrics]]);
  for (const group of groups) {
    const keys = group.groupBys.map((value) => value ?? "");
    for (let from = 0; from < count; from += pieceLines) {
      const values = [...valuesOf(group, from, Math.min(from + pieceLines, count), nothing)];
      yield csv(values.map((numbers, index) => [...keys, textOf(from + index), ...numbers.map(cellOf)]));
    }
  }
}

interface NumberText {
  readonly number: string;
}

function csv(lines: readonly (readonly (string | NumberText)[])[]): string {
  return stringify([...lines], {
    record_delimiter: "windows",
    escape_formulas: true,
    cast: { object: (value: Partial<NumberText>) => ({ value: value.number ?? "", escape_formulas: false }) },
  });
}

/** A minus sign would be taken for the beginning of a formula. */
function cellOf(value: string | null): NumberText {
  return { number: value ?? "" };
}
