import { beginningOf, intervalsBegun, momentOf } from "../../../domain/reporting/granularity.ts";
import type { ShownValue } from "../../../domain/reporting/revenue/cells.ts";
import type { RevenueTotals } from "../../../domain/reporting/revenue/row.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { ResultPage } from "../../../projections/reports/results/result-pages.ts";
import type { RevenueGroup } from "../../../projections/reports/revenue/run.ts";
import { csvLines, numberCell, textCells } from "../csv-file.ts";
import { computedRow, jsonArray, jsonObject } from "../json-text.ts";
import { taskResponse } from "../task-response.ts";

export const revenueGroup = computedRow<RevenueGroup>;

/**
 * A page of groups of a report that has succeeded, as JSON (contract/reports.md#revenue). Values are number literals
 * with every digit that is stored (contract/money.md#exact-amounts).
 */
export function revenuePage(task: SucceededTaskOf<"revenue">, { rows, totalCount }: ResultPage, skip: number): string {
  const { status, taskId, endedAt, asOfPosition } = taskResponse(task);
  return jsonObject({
    data: jsonObject({
      stats: jsonObject({ rows: jsonArray(rows.map(revenueGroup).map(shownGroup)) }),
      status: JSON.stringify(status),
      taskId: JSON.stringify(taskId),
      endedAt: JSON.stringify(endedAt),
      asOfPosition: JSON.stringify(asOfPosition),
      hasNext: JSON.stringify(skip + rows.length < totalCount),
      metadata: JSON.stringify({ totalCount }),
    }),
    notification: JSON.stringify(task.notifications),
  });
}

function shownGroup({ groupBys, rows, total }: RevenueGroup): string {
  const shown = rows.map((row) =>
    jsonObject({ date: JSON.stringify(row.date), total: jsonObject(totalsOf(row)), values: valuesOf(row) }),
  );
  return jsonObject({
    rows: jsonArray(shown),
    total: jsonObject({ ...totalsOf(total), values: valuesOf(total) }),
    metadata: JSON.stringify(groupBys.map((value) => value ?? "")),
  });
}

function totalsOf({ totalCost, totalRevenue, totalUniqueUsers }: RevenueTotals) {
  return {
    totalCost: cellOf(totalCost),
    totalRevenue: cellOf(totalRevenue),
    totalUniqueUsers: cellOf(totalUniqueUsers),
  };
}

function valuesOf({ values, masked }: RevenueTotals): string {
  const lost = new Set(masked);
  return jsonArray(values.map((value, interval) => cellOf({ value, isMasked: lost.has(interval) })));
}

function cellOf({ value, isMasked }: ShownValue): string {
  return `{"value":${value ?? "null"},"isMasked":${isMasked}}`;
}

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
  const count = intervalsBegun(granularity, beginningOf(from, timezone), momentOf(now, timezone));
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
