import type { RetentionLine } from "../../../domain/reporting/retention/catalogue.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { ResultPage } from "../../../projections/reports/results/result-pages.ts";
import type { RetentionRow } from "../../../projections/reports/retention/run.ts";
import { jsonArray } from "../json-text.ts";
import { computedRow } from "../stored-cells.ts";
import { taskResponse } from "../task-response.ts";

const rowsPerPiece = 100;

const notBegun = '{"value":null,"rate":null,"isMasked":false}';
const hidden = '{"value":null,"rate":null,"isMasked":true}';
const noUsers = '{"value":0,"rate":0,"isMasked":false}';

export const retentionRow = computedRow<RetentionRow>;

/**
 * A page of a report that has succeeded, as JSON in pieces (contract/reports.md#retention). Every line tells the same
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
  yield `{"groupBys":${JSON.stringify(shown)},"total":{${lineText(total, total.of, intervals)}},"rows":[`;
  for (let from = 0; from < rows.length; from += rowsPerPiece) {
    const texts = rows.slice(from, from + rowsPerPiece).map((row) => {
      return `{"date":${JSON.stringify(row.date)},${lineText(row, row.startUsers, intervals)}}`;
    });
    yield `${from === 0 ? "" : ","}${texts.join(",")}`;
  }
  yield "]}";
}

/** @param of what rates are of, in every interval or in each */
function lineText(
  { startUsers, values }: RetentionLine,
  of: number | null | readonly number[],
  intervals: number,
): string {
  const cells = Array.from({ length: intervals }, (_, interval) => {
    return cellText(values[interval], typeof of === "object" ? of?.[interval] : of);
  });
  const users = { value: startUsers, isMasked: startUsers === null };
  return `"startUsers":${JSON.stringify(users)},"values":${jsonArray(cells)}`;
}

function cellText(value: number | null | undefined, of: number | null | undefined): string {
  if (value === undefined) return notBegun;
  if (value === null) return hidden;
  return value === 0 ? noUsers : `{"value":${value},"rate":${rateOf(value, of)},"isMasked":false}`;
}

/** 0 to 1; whoever came back had started. */
export function rateOf(value: number, of: number | null | undefined): number {
  return of ? value / of : 0;
}
