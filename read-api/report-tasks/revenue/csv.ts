import { stringify } from "csv-stringify/sync";
import { beginningOf, intervalsBegun } from "../../../domain/reporting/granularity.ts";
import type { RevenueTotals } from "../../../domain/reporting/revenue/row.ts";
import { localDate } from "../../../domain/values/local-time.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { RevenueGroup } from "../../../projections/reports/revenue/run.ts";

/** Stands where a line of a block has its date: the last line, over everything. */
const everything = "total";

/**
 * A whole result as CSV (RFC 4180), keys in the first line: a line for each group, without a date, and after it one for
 * each of its blocks; then one over everything, if there is one. Intervals are columns, `day_0` the first. Texts that a
 * spreadsheet would run as a formula are neutralised; numbers stand with every digit that is stored. What is missing is
 * empty.
 */
export async function* revenueCsv(
  { query, now }: SucceededTaskOf<"revenue">,
  timezone: string,
  groups: readonly RevenueGroup[],
  total: RevenueTotals | null,
): AsyncGenerator<string> {
  const { granularity, from, groupBys } = query;
  const moment = { date: localDate(timezone, now.getTime()), instant: now.getTime() };
  const count = intervalsBegun(granularity, beginningOf(from, timezone), moment);
  const intervals = Array.from({ length: count }, (_, interval) => `${granularity}_${interval}`);
  yield csv([[...groupBys, "date", "totalUniqueUsers", "totalRevenue", "totalCost", ...intervals]]);
  for (const { groupBys: values, rows, total: ofGroup } of groups) {
    const keys = values.map((value) => value ?? "");
    yield csv([[...keys, "", ...numbersOf(ofGroup)]]);
    yield csv(rows.map((row) => [...keys, row.date, ...numbersOf(row)]));
  }
  if (total !== null) yield csv([[...groupBys.map(() => ""), everything, ...numbersOf(total)]]);
}

interface NumberText {
  readonly number: string;
}

function numbersOf({ totalUniqueUsers, totalRevenue, totalCost, values }: RevenueTotals): readonly NumberText[] {
  const totals = [totalUniqueUsers, totalRevenue, totalCost].map(({ value }) => value);
  return [...totals, ...values].map((value) => ({ number: value ?? "" }));
}

function csv(lines: readonly (readonly (string | NumberText)[])[]): string {
  return stringify([...lines], {
    record_delimiter: "windows",
    escape_formulas: true,
    // A minus sign would be taken for the beginning of a formula.
    cast: { object: (value: Partial<NumberText>) => ({ value: value.number ?? "", escape_formulas: false }) },
  });
}
