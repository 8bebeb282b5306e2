import { setImmediate as nextTurn } from "node:timers/promises";
import { CsvError, parse } from "csv-parse";
import type { Message } from "../../domain/fault.ts";

/** Why a text is not CSV, and where. */
export interface InvalidCsv {
  /** The header is row 1. */
  readonly row: number;
  readonly fault: Message;
}

/** Called with the cells of one row; returns whether to continue. */
export type TakeRow = (cells: readonly string[]) => boolean;

/** Maximum bytes of a row: bounds the memory for an unclosed quotation mark or a line of commas. */
const maxRowBytes = 64 * 1024;
/** Maximum bytes and rows of one turn of the event loop. Rows of the wrong length take the most time. */
const turnBytes = 32 * 1024;
const turnLines = 500;
const lineFeed = 0x0a;
/** More would let a small compressed file of line ends occupy the parser for long. */
const maxEmptyRows = 10_000;

/**
 * Parses CSV (RFC 4180, contract/uploads.md#format) with lines that end with LF or CRLF, skipping a byte order mark.
 * `takeRow` gets every row, the header first, with any number of cells. Up to 10,000 rows at the end are none if they are empty
 * lines, or empty cells alone, as many as the header has: spreadsheets leave those where cells were cleared.
 * Yields to the event loop every 32 KiB. Returns the first fault, or null at the end of the text or after `takeRow` has
 * returned false.
 */
export async function parseCsv(pieces: AsyncIterable<Buffer>, takeRow: TakeRow): Promise<InvalidCsv | null> {
  const parser = parse({ bom: true, relax_column_count: true, record_delimiter: ["\r\n", "\n"] });
  let rows = 0;
  let isWanted = true;
  let columns = 0;
  /** The empty rows that were read last. */
  let emptyRows: (readonly string[])[] = [];
  parser.on("data", (cells: readonly string[]) => {
    rows += 1;
    if (rows === 1) columns = cells.length;
    const isEmpty = (cells.length === 1 || cells.length === columns) && cells.every((cell) => cell === "");
    if (isEmpty && emptyRows.length < maxEmptyRows) {
      emptyRows.push(cells);
      return;
    }
    for (const row of emptyRows) isWanted = isWanted && takeRow(row);
    emptyRows = [];
    isWanted = isWanted && takeRow(cells);
  });
  const ended = new Promise<Error | null>((resolve) => {
    parser.on("end", () => resolve(null));
    parser.on("error", resolve);
  });
  const written = (part: Buffer): Promise<Error | null> =>
    new Promise((resolve) => parser.write(part, (failure) => resolve(failure ?? null)));

  let bytesOfRow = 0;
  for await (const piece of pieces) {
    for (const part of parts(piece)) {
      const rowsBefore = rows;
      const failure = await written(part);
      if (!isWanted) return null;
      if (failure !== null) return { row: rows + 1, fault: faultOf(failure) };
      bytesOfRow = rows === rowsBefore ? bytesOfRow + part.length : 0;
      if (bytesOfRow > maxRowBytes) return { row: rows + 1, fault: tooLong };
      await nextTurn();
    }
  }
  parser.end();
  const failure = await ended;
  return failure === null || !isWanted ? null : { row: rows + 1, fault: faultOf(failure) };
}

function* parts(piece: Buffer): Generator<Buffer> {
  let start = 0;
  while (start < piece.length) {
    let end = start;
    for (let lines = 0; lines < turnLines && end < start + turnBytes; lines += 1) {
      const lineEnd = piece.indexOf(lineFeed, end);
      end = lineEnd === -1 ? piece.length : lineEnd + 1;
    }
    end = Math.min(end, start + turnBytes);
    yield piece.subarray(start, end);
    start = end;
  }
}

const tooLong = { code: "file.row_too_long", params: { limit: maxRowBytes } };

/** Codes of our messages by those of csv-parse. */
const faults: { readonly [code: string]: string } = {
  CSV_INVALID_CLOSING_QUOTE: "file.quote_in_quoted_value",
  INVALID_OPENING_QUOTE: "file.quote_in_plain_value",
  CSV_QUOTE_NOT_CLOSED: "file.quote_not_closed",
};

/** @throws `failure` when it is not a fault of the file */
function faultOf(failure: Error): Message {
  if (!(failure instanceof CsvError)) throw failure;
  return { code: faults[failure.code] ?? "file.not_csv" };
}
