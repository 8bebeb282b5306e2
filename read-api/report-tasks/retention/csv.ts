import { stringify } from "csv-stringify/sync";
import type { RetentionLine } from "../../../domain/reporting/retention/catalogue.ts";
import type { RetentionRow } from "../../../projections/reports/retention/run.ts";
import { rateOf } from "./response.ts";

/** Lines that are written at a time. */
const pieceLines = 100;

/**
 * A whole result as CSV (RFC 4180): of each group a line over all its sub-rows, without a date, then a line for each of
 * them; columns are the group-bys, `date`, `startUsers`, and `value_N` and `rate_N` of each interval. Texts that a
 * spreadsheet would run as a formula are neutralised. What is missing, hidden or has not begun is empty.
 */
export async function* retentionCsv(
  groupBys: readonly string[],
  rows: Iterable<RetentionRow>,
  intervals: number,
): AsyncGenerator<string> {
  const numbered = Array.from({ length: intervals }, (_, interval) => [`value_${interval}`, `rate_${interval}`]);
  yield `${[...groupBys, "date", "startUsers", ...numbered.flat()].join(",")}\r\n`;
  for (const row of rows) {
    const keys = row.groupBys.map((value) => `${textCell(value)},`).join("");
    yield `${keys}${lineText("", row.total, row.total.of, intervals)}`;
    for (let from = 0; from < row.rows.length; from += pieceLines) {
      const lines = row.rows.slice(from, from + pieceLines);
      yield lines.map((line) => `${keys}${lineText(line.date, line, line.startUsers, intervals)}`).join("");
    }
  }
}

function textCell(value: string | null): string {
  return value === null ? "" : stringify([[value]], { escape_formulas: true, eof: false });
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
