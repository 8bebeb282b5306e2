import type { RevenueTotals } from "../../../domain/reporting/revenue/row.ts";
import type { ShownValue } from "../../../domain/reporting/revenue/values.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { ResultPage } from "../../../projections/reports/results/result-pages.ts";
import type { RevenueGroup } from "../../../projections/reports/revenue/run.ts";
import { jsonArray, jsonObject } from "../json-text.ts";
import { computedRow } from "../stored-cells.ts";
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
