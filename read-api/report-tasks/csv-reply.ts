import type { Reply } from "../../infra/http/routing/route.ts";
import { csvLines } from "../csv.ts";

/** Texts with a comma after each: written once for all lines that begin with them. */
export function csvKeys(values: readonly (string | null)[]): string {
  return csvLines([[...values, "end"]]).replace(/end\r\n$/, "");
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
