import { beginningOf, intervalsBegun, momentOf } from "../../../domain/reporting/granularity.ts";
import type { ShownValue } from "../../../domain/reporting/revenue/metrics.ts";
import type { RevenueTotals } from "../../../domain/reporting/revenue/row.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { ResultPage } from "../../../projections/reports/results/result-pages.ts";
import { computedRow, type StoredRow } from "../../../projections/reports/results/stored-rows.ts";
import type { RevenueGroup } from "../../../projections/reports/revenue/run.ts";
import { csvLines } from "../../csv.ts";
import { csvKeys, csvPieces } from "../csv-reply.ts";
import { jsonArray, jsonItems, jsonObject } from "../json-text.ts";
import { taskResponse } from "../task-response.ts";
import { lowerBound } from "../view-format.ts";

export const revenueGroup = computedRow<RevenueGroup>;

/**
 * A page of groups of a report that has succeeded, as JSON in pieces (contract/reports.md#revenue). Values are number
 * literals with every digit that is stored (contract/money.md#exact-amounts).
 */
export async function* revenuePage(
  task: SucceededTaskOf<"revenue">,
  { rows, totalCount }: ResultPage,
  skip: number,
): AsyncGenerator<string> {
  yield '{"data":{"stats":{"rows":[';
  for (const [index, row] of rows.entries()) {
    if (index > 0) yield ",";
    yield* groupText(revenueGroup(row));
  }
  const { status, taskId, endedAt, asOfPosition } = taskResponse(task);
  const rest = { status, taskId, endedAt, asOfPosition, hasNext: skip + rows.length < totalCount };
  const data = JSON.stringify({ ...rest, metadata: { totalCount } });
  yield `]},${data.slice(1)},"notification":${JSON.stringify(task.notifications)}}`;
}

function* groupText({ groupBys, rows, total }: RevenueGroup): Generator<string> {
  yield '{"rows":[';
  yield* jsonItems(rows, (row) =>
    jsonObject({ date: JSON.stringify(row.date), total: jsonObject(totalsOf(row)), values: valuesOf(row) }),
  );
  const shown = jsonObject({ ...totalsOf(total), values: valuesOf(total) });
  yield `],"total":${shown},"metadata":${JSON.stringify(groupBys.map((value) => value ?? ""))}}`;
}

function totalsOf({ totalCost, totalRevenue, totalUniqueUsers }: RevenueTotals) {
  return {
    totalCost: cellOf(totalCost),
    totalRevenue: cellOf(totalRevenue),
    totalUniqueUsers: cellOf(totalUniqueUsers),
  };
}

function valuesOf({ values, masked }: RevenueTotals): string {
  const maskedIntervals = new Set(masked);
  return jsonArray(values.map((value, interval) => cellOf({ value, isMasked: maskedIntervals.has(interval) })));
}

function cellOf({ value, isMasked }: ShownValue): string {
  return `{"value":${value ?? "null"},"isMasked":${isMasked}}`;
}

/**
 * A whole result as CSV: for each group a line without a date and a line for each of its blocks, then the total, if
 * there is one, as the date `total`. Intervals are columns, from `day_0` on. Missing values are empty.
 * @param shown `total`: all groups together, if requested; `viewFormat`: whether masked values are marked as lower bounds
 */
export async function* revenueCsv(
  { query, now }: SucceededTaskOf<"revenue">,
  timezone: string,
  chunks: AsyncIterable<readonly StoredRow[]>,
  { total, viewFormat }: { readonly total: RevenueTotals | null; readonly viewFormat: boolean },
): AsyncGenerator<string> {
  const { granularity, from, groupBys } = query;
  const count = intervalsBegun(granularity, beginningOf(from, timezone), momentOf(now, timezone));
  const intervals = Array.from({ length: count }, (_, interval) => `${granularity}_${interval}`);
  yield csvLines([[...groupBys, "date", "totalUniqueUsers", "totalRevenue", "totalCost", ...intervals]]);
  for await (const rows of chunks) {
    for (const row of rows) yield* groupLines(revenueGroup(row), viewFormat);
  }
  if (total !== null) yield `${csvKeys(groupBys.map(() => ""))}total,${numbersOf(total, viewFormat)}`;
}

function* groupLines({ groupBys, rows, total }: RevenueGroup, viewFormat: boolean): Generator<string> {
  const keys = csvKeys(groupBys);
  yield `${keys},${numbersOf(total, viewFormat)}`;
  yield* csvPieces(rows, (row) => `${keys}${row.date},${numbersOf(row, viewFormat)}`);
}

/** The rest of a line: number literals need no quotes. */
function numbersOf(line: RevenueTotals, viewFormat: boolean): string {
  const { totalUniqueUsers, totalRevenue, totalCost, values, masked } = line;
  const maskedIntervals = new Set(masked);
  const cells = [
    ...[totalUniqueUsers, totalRevenue, totalCost],
    ...values.map((value, interval) => ({ value, isMasked: maskedIntervals.has(interval) })),
  ];
  const shown = cells.map(({ value, isMasked }) => (viewFormat && isMasked ? lowerBound(value) : value));
  return `${shown.join(",")}\r\n`;
}
