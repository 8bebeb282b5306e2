import { beginningOf, intervalsBegun } from "../../../domain/reporting/granularity.ts";
import type { RevenueTotals } from "../../../domain/reporting/revenue/row.ts";
import { localDate } from "../../../domain/values/local-time.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { RevenueGroup } from "../../../projections/reports/revenue/run.ts";
import { csvLines, numberCell, textCells } from "../csv-file.ts";

/**
 * A whole result as CSV: for each group a line without a date and a line for each of its blocks, then the total, if
 * there is one, as the date `total`. Intervals are columns, from `day_0` on. Missing values are empty.
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
  yield csvLines([[...groupBys, "date", "totalUniqueUsers", "totalRevenue", "totalCost", ...intervals]]);
  for (const { groupBys: values, rows, total: ofGroup } of groups) {
    const keys = textCells(values);
    yield csvLines([[...keys, "", ...numbersOf(ofGroup)]]);
    yield csvLines(rows.map((row) => [...keys, row.date, ...numbersOf(row)]));
  }
  if (total !== null) yield csvLines([[...groupBys.map(() => ""), "total", ...numbersOf(total)]]);
}

function numbersOf({ totalUniqueUsers, totalRevenue, totalCost, values }: RevenueTotals) {
  const totals = [totalUniqueUsers, totalRevenue, totalCost].map(({ value }) => value);
  return [...totals, ...values].map(numberCell);
}
