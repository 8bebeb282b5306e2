import { createHash } from "node:crypto";
import type { ResumePoint } from "../../domain/raw-exports/events.ts";
import type { PropertyKey } from "../../domain/raw-exports/properties.ts";
import type { RawPage } from "../../projections/raw-exports/rows.ts";
import { csvHeader, csvOf } from "./csv.ts";

/** What is known of an export's CSV file once its rows have been read. */
export interface CsvFile {
  readonly rows: number;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  readonly resumePoints: readonly ResumePoint[];
}

/** A download that is resumed reads so many bytes at most that it does not send, and the page that they end in. */
const betweenResumePoints = 8 * 1024 * 1024;

/** The bytes of an export's CSV file, a piece for each page of rows; the header, if any, is in the first. */
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

/** Reads all rows of an export and answers what their CSV file is, of which no more than a page is held. */
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
