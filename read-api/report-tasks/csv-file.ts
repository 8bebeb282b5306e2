import { stringify } from "csv-stringify/sync";
import type { Reply } from "../../infra/http/routing/route.ts";

/** A number literal: a minus sign at its beginning would be taken for the beginning of a formula. */
interface NumberText {
  readonly number: string;
}

/** A cell that holds a number with every digit that is stored; null: empty. */
export function numberCell(value: string | null): NumberText {
  return { number: value ?? "" };
}

/** Cells of a row's group-bys; missing values are empty. */
export function textCells(values: readonly (string | null)[]): readonly string[] {
  return values.map((value) => value ?? "");
}

export type CsvCell = string | NumberText;

/** Lines of RFC 4180. Texts that a spreadsheet would run as a formula are neutralised. */
export function csvLines(lines: readonly (readonly CsvCell[])[]): string {
  return stringify([...lines], {
    record_delimiter: "windows",
    escape_formulas: true,
    // The library quotes whole line ends only.
    quoted_match: /[\r\n]/,
    cast: {
      object: (value: Partial<NumberText>) => ({ value: value.number ?? "", escape_formulas: false }),
      // The library knows every other prefix of a formula.
      string: (text) => (text.startsWith("\n") ? `'${text}` : text),
    },
  });
}

/** Texts with a comma after each: written once for all lines that begin with them. */
export function csvKeys(values: readonly (string | null)[]): string {
  return csvLines([[...textCells(values), "end"]]).replace(/end\r\n$/, "");
}

const linesPerPiece = 100;

/** Lines in pieces of some lines: a piece is made at a time. */
export function* csvPieces<Item>(items: readonly Item[], lineOf: (item: Item) => string): Generator<string> {
  for (let from = 0; from < items.length; from += linesPerPiece) {
    yield items
      .slice(from, from + linesPerPiece)
      .map(lineOf)
      .join("");
  }
}

/** The reply with a whole result as CSV (contract/reports.md#rows): an attachment whose first line holds the keys. */
export function csvReply(report: string, taskId: string, pieces: AsyncIterable<string>): Reply {
  return {
    kind: "streamed",
    pieces,
    mediaType: "text/csv; charset=utf-8; header=present",
    headers: { "Content-Disposition": `attachment; filename="${report}-${taskId}.csv"` },
  };
}
