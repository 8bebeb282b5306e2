import type { ActualsQuery } from "../../../domain/reporting/actuals/query.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { ActualsRow } from "../../../projections/reports/actuals/run.ts";
import type { ResultPage } from "../../../projections/reports/results/result-pages.ts";
import { computedRow, type StoredRow } from "../../../projections/reports/results/stored-rows.ts";
import { csvLines } from "../../csv.ts";
import { csvKeys } from "../csv-reply.ts";
import { jsonArray, jsonObject } from "../json-text.ts";
import { taskResponse } from "../task-response.ts";
import { lowerBound } from "../view-format.ts";

export const actualsRow = computedRow<ActualsRow>;

/**
 * A page of a report that has succeeded, as JSON (contract/reports.md#actuals, contract/reports.md#rows). Values are
 * number literals with every digit that is stored: a JavaScript number would round sums beyond 2^53 and lose those
 * beyond 1.8e308 (contract/money.md#exact-amounts).
 */
export function actualsPage(
  task: SucceededTaskOf<"actuals">,
  { rows, totalCount }: ResultPage,
  { skip, viewFormat }: { readonly skip: number; readonly viewFormat: boolean },
): string {
  const shown = rows.map((row) => shownRow(actualsRow(row), task.query.metrics, viewFormat));
  return jsonObject({
    task: JSON.stringify(taskResponse(task)),
    actuals: jsonObject({
      data: jsonObject({ rows: jsonArray(shown) }),
      metadata: JSON.stringify({ rowCount: task.rowCount }),
    }),
    pagination: JSON.stringify({ hasNext: skip + rows.length < totalCount, totalCount }),
    notifications: JSON.stringify(task.notifications),
  });
}

function shownRow(row: ActualsRow, metrics: readonly string[], viewFormat: boolean): string {
  const cells = new Map(
    metrics.map((metric, index) => {
      const value = row.values[index] ?? null;
      const isMasked = row.masked[index] ?? false;
      const marked = viewFormat && isMasked ? lowerBound(value) : null;
      const cell = { value: value ?? "null", isMasked: String(isMasked), viewFormat: JSON.stringify(marked) };
      return [metric, jsonObject(cell)] as const;
    }),
  );
  const groupBys = JSON.stringify(row.groupBys.map((value) => value ?? ""));
  return jsonObject({ values: jsonObject(cells), groupBys });
}

/**
 * A whole result as CSV, a line for each row. Missing values are empty.
 * @param viewFormat whether masked values are marked as lower bounds
 */
export async function* actualsCsv(
  { groupBys, metrics }: ActualsQuery,
  chunks: AsyncIterable<readonly StoredRow[]>,
  viewFormat: boolean,
): AsyncGenerator<string> {
  yield csvLines([[...groupBys, ...metrics]]);
  for await (const rows of chunks) {
    const lines = rows.map(actualsRow).map(({ groupBys: keys, values, masked }) => {
      const shown = values.map((value, index) => (viewFormat && masked[index] ? lowerBound(value) : value));
      // Many readers skip an empty line: the only cell is quoted.
      const numbers = shown.join(",") || (keys.length === 0 ? '""' : "");
      return `${csvKeys(keys)}${numbers}\r\n`;
    });
    yield lines.join("");
  }
}
