import { setImmediate as nextTurn } from "node:timers/promises";
import { CsvError, parse } from "csv-parse";

/** Where a text stops being CSV, and why. */
export interface CsvFault {
  /** The header is row 1. */
  readonly row: number;
  readonly fault: string;
}

/** Takes one row's cells; answers whether the next one is wanted. */
export type TakeRow = (cells: readonly string[]) => boolean;

/**
 * Bytes of one row. No row within the rules of uploads comes near: 20 columns of 256 characters are 20 KiB. It bounds
 * what an open quotation mark, or a line of commas, can make of our memory.
 */
const longestRow = 64 * 1024;
/**
 * What is parsed in one turn of the event loop: so many bytes, and so many rows, as those that do not fit cost most.
 */
const turnBytes = 32 * 1024;
const turnLines = 500;
const lineFeed = 0x0a;

/**
 * Reads CSV by RFC 4180 (contract/uploads.md#format), lines ended by LF or CRLF, a byte order mark passed over; the
 * header is the first row given. Other work has its turn between pieces of 32 KiB. Answers the fault that it stopped
 * at, null when it came to the end or when no more rows were wanted. Rows of any length are given, also those that have
 * fewer cells than the header.
 */
export async function parseCsv(pieces: AsyncIterable<Buffer>, take: TakeRow): Promise<CsvFault | null> {
  const parser = parse({ bom: true, relax_column_count: true, record_delimiter: ["\r\n", "\n"] });
  let rows = 0;
  let isWanted = true;
  parser.on("data", (cells: readonly string[]) => {
    rows += 1;
    isWanted = isWanted && take(cells);
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
      if (bytesOfRow > longestRow) return { row: rows + 1, fault: tooLong };
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

const tooLong = `is longer than ${longestRow.toLocaleString("en")} bytes: is a quotation mark not closed, or a line not ended?`;

const faults: { readonly [code: string]: string } = {
  CSV_INVALID_CLOSING_QUOTE: "has a quotation mark within a quoted value: write it twice",
  INVALID_OPENING_QUOTE: "has a quotation mark in a value that is not quoted as a whole",
  CSV_QUOTE_NOT_CLOSED: "has a quotation mark that is not closed",
};

/** @throws what is no fault of the file */
function faultOf(failure: Error): string {
  if (!(failure instanceof CsvError)) throw failure;
  return faults[failure.code] ?? "is not CSV (RFC 4180)";
}
