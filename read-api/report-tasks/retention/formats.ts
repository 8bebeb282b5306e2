import type { RetentionLine } from "../../../domain/reporting/retention/row.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { ResultPage } from "../../../projections/reports/results/result-pages.ts";
import { computedRow, type StoredRow } from "../../../projections/reports/results/stored-rows.ts";
import type { RetentionRow } from "../../../projections/reports/retention/run.ts";
import { csvKeys, csvPieces } from "../csv-reply.ts";
import { jsonArray, jsonItems } from "../json-text.ts";
import { taskResponse } from "../task-response.ts";

const notBegun = '{"value":null,"rate":null,"isMasked":false}';
const hidden = '{"value":null,"rate":null,"isMasked":true}';
const noUsers = '{"value":0,"rate":0,"isMasked":false}';

export const retentionRow = computedRow<RetentionRow>;

/**
 * A page of a report that has succeeded, as JSON in pieces (contract/reports.md#retention). Every line has the same
 * number of intervals, `metadata.intervals`: 0 to the last one that has begun for the report's first date. One that has
 * not begun for a line is null.
 */
export async function* retentionPage(
  task: SucceededTaskOf<"retention">,
  { rows, totalCount }: ResultPage,
  { skip, intervals }: { readonly skip: number; readonly intervals: number },
): AsyncGenerator<string> {
  yield `{"task":${JSON.stringify(taskResponse(task))},"retention":{"data":{"rows":[`;
  for (const [index, row] of rows.entries()) {
    if (index > 0) yield ",";
    yield* groupText(retentionRow(row), intervals);
  }
  const metadata = { rowCount: task.rowCount, granularity: task.query.granularity, intervals };
  const pagination = { hasNext: skip + rows.length < totalCount, totalCount };
  yield `]},"metadata":${JSON.stringify(metadata)}},"pagination":${JSON.stringify(pagination)},` +
    `"notifications":${JSON.stringify(task.notifications)}}`;
}

function* groupText({ groupBys, total, rows }: RetentionRow, intervals: number): Generator<string> {
  const shown = groupBys.map((value) => value ?? "");
  yield `{"groupBys":${JSON.stringify(shown)},"total":{${jsonLine(total, total.of, intervals)}},"rows":[`;
  yield* jsonItems(rows, (row) => `{"date":${JSON.stringify(row.date)},${jsonLine(row, row.startUsers, intervals)}}`);
  yield "]}";
}

/** @param denominator of the rates: of all intervals, or of each */
function jsonLine(
  { startUsers, values }: RetentionLine,
  denominator: number | null | readonly number[],
  intervals: number,
): string {
  const cells = Array.from({ length: intervals }, (_, interval) => {
    return cellText(values[interval], typeof denominator === "object" ? denominator?.[interval] : denominator);
  });
  const users = { value: startUsers, isMasked: startUsers === null };
  return `"startUsers":${JSON.stringify(users)},"values":${jsonArray(cells)}`;
}

function cellText(value: number | null | undefined, denominator: number | null | undefined): string {
  if (value === undefined) return notBegun;
  if (value === null) return hidden;
  return value === 0 ? noUsers : `{"value":${value},"rate":${rateOf(value, denominator)},"isMasked":false}`;
}

/** A rate from 0 to 1: every device that returned had started. */
function rateOf(value: number, denominator: number | null | undefined): number {
  return denominator ? value / denominator : 0;
}

/**
 * A whole result as CSV: for each group a line over all its sub-rows, without a date, then a line for each sub-row.
 * Columns are the group-bys, `date`, `startUsers`, and `value_N` and `rate_N` of each interval. Cells that are missing,
 * hidden or have not begun are empty.
 */
export async function* retentionCsv(
  groupBys: readonly string[],
  chunks: AsyncIterable<readonly StoredRow[]>,
  intervals: number,
): AsyncGenerator<string> {
  const numbered = Array.from({ length: intervals }, (_, interval) => [`value_${interval}`, `rate_${interval}`]);
  yield `${[...groupBys, "date", "startUsers", ...numbered.flat()].join(",")}\r\n`;
  for await (const rows of chunks) {
    for (const row of rows) yield* groupLines(retentionRow(row), intervals);
  }
}

function* groupLines({ groupBys, total, rows }: RetentionRow, intervals: number): Generator<string> {
  const keys = csvKeys(groupBys);
  yield `${keys}${csvLine("", total, total.of, intervals)}`;
  yield* csvPieces(rows, (line) => `${keys}${csvLine(line.date, line, line.startUsers, intervals)}`);
}

function csvLine(
  date: string,
  { startUsers, values }: RetentionLine,
  of: number | null | readonly number[],
  intervals: number,
): string {
  let text = `${date},${startUsers ?? ""}`;
  for (let interval = 0; interval < intervals; interval += 1) {
    const value = values[interval] ?? null;
    text += value === null ? ",," : `,${value},${rateOf(value, typeof of === "object" ? of?.[interval] : of)}`;
  }
  return `${text}\r\n`;
}
