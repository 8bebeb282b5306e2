import { createHash } from "node:crypto";
import type { ResumePoint } from "../../domain/raw-exports/events.ts";
import type { PropertyKey } from "../../domain/raw-exports/properties.ts";
import type { RawPage } from "../../projections/raw-exports/rows.ts";
import { csvLines } from "../csv.ts";

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

/** Reads all rows of an export: the size, the hash and the resume points of their CSV file. Holds one page at a time. */
export async function measureCsvFile(
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

/** Rows of an export as CSV, without the header; empty for no rows. */
export function csvOf(properties: readonly PropertyKey[], rows: readonly (readonly (string | null)[])[]): string {
  return csvLines(rows, properties.length === 1);
}

/** The header row: property keys, none of which needs quotes. */
export function csvHeader(properties: readonly PropertyKey[]): string {
  return `${properties.join(",")}\r\n`;
}
