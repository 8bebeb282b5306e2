import type { RetentionLine } from "../../../domain/reporting/retention/catalogue.ts";
import type { RetentionRow } from "../../../projections/reports/retention/run.ts";
import { csvLines, textCells } from "../csv-file.ts";
import { rateOf } from "./response.ts";

const linesPerPiece = 100;

/**
 * A whole result as CSV: for each group a line over all its sub-rows, without a date, then a line for each sub-row.
 * Columns are the group-bys, `date`, `startUsers`, and `value_N` and `rate_N` of each interval. Cells that are missing,
 * hidden or have not begun are empty.
 */
export async function* retentionCsv(
  groupBys: readonly string[],
  rows: Iterable<RetentionRow>,
  intervals: number,
): AsyncGenerator<string> {
  const numbered = Array.from({ length: intervals }, (_, interval) => [`value_${interval}`, `rate_${interval}`]);
  yield `${[...groupBys, "date", "startUsers", ...numbered.flat()].join(",")}\r\n`;
  for (const row of rows) {
    const keys = keyCells(row.groupBys);
    yield `${keys}${lineText("", row.total, row.total.of, intervals)}`;
    for (let from = 0; from < row.rows.length; from += linesPerPiece) {
      const lines = row.rows.slice(from, from + linesPerPiece);
      yield lines.map((line) => `${keys}${lineText(line.date, line, line.startUsers, intervals)}`).join("");
    }
  }
}

/** The cells of the group-bys with a comma after each: written once for all lines of a group. */
function keyCells(groupBys: readonly (string | null)[]): string {
  return csvLines([[...textCells(groupBys), "end"]]).replace(/end\r\n$/, "");
}

function lineText(
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
