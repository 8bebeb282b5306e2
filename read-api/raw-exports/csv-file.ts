import { createHash } from "node:crypto";
import { stringify } from "csv-stringify/sync";
import type { ResumePoint } from "../../domain/raw-exports/events.ts";
import { type PropertyKey, rawExportProperties } from "../../domain/raw-exports/properties.ts";
import type { RawPage } from "../../projections/raw-exports/rows.ts";

/** Properties of an export's CSV file. */
export interface CsvFile {
  readonly rows: number;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  readonly resumePoints: readonly ResumePoint[];
}

/** Minimum bytes between resume points: a resumed download reads at most this and a page without sending it. */
const betweenResumePoints = 8 * 1024 * 1024;

/** The bytes of an export's CSV file, a piece a page of rows; the first contains the header, if any. */
export async function* csvPieces(
  properties: readonly PropertyKey[],
  pages: AsyncIterable<Pick<RawPage, "rows">>,
  hasHeader: boolean,
): AsyncGenerator<Buffer> {
  let header = hasHeader ? csvHeader(properties) : "";
  for await (const { rows } of pages) {
    if (rows.length === 0) continue;
    yield Buffer.from(header + csvOf(properties, rows));
    header = "";
  }
  if (header !== "") yield Buffer.from(header);
}

/** Reads all rows of an export and describes their CSV file, holding one page at a time. */
export async function describeCsvFile(
  properties: readonly PropertyKey[],
  pages: AsyncIterable<RawPage>,
): Promise<CsvFile> {
  const header = csvHeader(properties);
  const hash = createHash("sha256").update(header);
  let bytes = Buffer.byteLength(header);
  let rows = 0;
  const resumePoints: ResumePoint[] = [];
  for await (const page of pages) {
    const piece = Buffer.from(csvOf(properties, page.rows));
    hash.update(piece);
    bytes += piece.length;
    rows += page.rows.length;
    const isFar = bytes - (resumePoints.at(-1)?.offset ?? 0) >= betweenResumePoints;
    if (isFar && page.after !== null) resumePoints.push({ offset: bytes, after: page.after });
  }
  return { rows, bytes, sha256: hash.digest("hex"), resumePoints };
}

/** Exact decimal text, which is not a formula although it begins with a minus sign. */
interface Decimal {
  readonly decimal: string;
}

/**
 * Rows of an export as CSV (RFC 4180, lines end in CR LF, no header), empty for no rows. Texts that a spreadsheet would
 * run as a formula are neutralised by an apostrophe; numbers are unchanged (contract/exports.md#downloading).
 */
export function csvOf(properties: readonly PropertyKey[], rows: readonly (readonly (string | null)[])[]): string {
  const isNumber = properties.map((key) => ["number", "integer"].includes(rawExportProperties[key]));
  return stringify(
    rows.map((row) => cellsOf(row, isNumber)),
    {
      record_delimiter: "windows",
      escape_formulas: true,
      // Many readers would skip the empty line of a single empty cell.
      quoted_empty: properties.length === 1,
      // The library quotes whole line ends only.
      quoted_match: /[\r\n]/,
      cast: { object: (value: Partial<Decimal>) => ({ value: value.decimal ?? "", escape_formulas: false }) },
    },
  );
}

/** The header row: property keys, none of which needs quotes. */
export function csvHeader(properties: readonly PropertyKey[]): string {
  return `${properties.join(",")}\r\n`;
}

function cellsOf(row: readonly (string | null)[], isNumber: readonly boolean[]): readonly (string | Decimal | null)[] {
  return row.map((cell, index) => {
    // The library knows every other prefix of a formula.
    if (cell?.startsWith("\n")) return `'${cell}`;
    return isNumber[index] === true && cell?.startsWith("-") ? { decimal: cell } : cell;
  });
}
