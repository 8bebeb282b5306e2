import { createHash } from "node:crypto";
import type { Request, RequestHandler } from "express";
import { fault } from "../../domain/fault.ts";
import type { PropertyKey } from "../../domain/raw-exports/properties.ts";
import { createShares } from "../../infra/http/request/body-gate.ts";
import { type Problem, problems, validationFailed } from "../../infra/http/response/problem.ts";
import { requestIdOf } from "../../infra/http/response/request-id.ts";
import { streamReply } from "../../infra/http/response/stream-response.ts";
import { writeProblem } from "../../infra/http/response/write-response.ts";
import type { Reply } from "../../infra/http/routing/route.ts";
import type { CompletedExport, RawExportRow } from "../../projections/raw-exports/queries.ts";
import type { RawPage } from "../../projections/raw-exports/rows.ts";
import type { RawPlace } from "../../projections/raw-exports/statement.ts";
import { type ByteRange, requestedRange } from "./byte-range.ts";
import { csvPieces } from "./csv-file.ts";
import { parquetOf } from "./parquet.ts";
import { checkSignature } from "./signed-url.ts";

export interface DownloadDeps {
  rawExportOf(reportId: number): Promise<RawExportRow | null>;
  /** The rows of an export after a place, in pages; null: all. */
  rowsOf(rawExport: CompletedExport, after: RawPlace | null): AsyncGenerator<RawPage>;
  /** Called before the first byte is sent. */
  recordDownload(rawExport: CompletedExport, requestId: string): Promise<void>;
  readonly signingKey: string;
  now(): Date;
  /** Maximum concurrent downloads (default 16), of one app half; further ones get 503. */
  readonly maxConcurrent?: number;
  /** A client that reads nothing for this time is disconnected, and can resume (default 30 s). */
  readonly stalledMs?: number;
}

/** The rows differ from those that the export was completed with. */
export class ExportNotReproduced extends Error {
  override readonly name = "ExportNotReproduced";
}

const signatureInvalid: Problem = { status: 403, code: "SIGNATURE_INVALID" };
const urlExpired: Problem = { status: 403, code: "EXPORT_URL_EXPIRED" };
const formatUnknown = validationFailed([fault("not_allowed.export_format", ["query", "format"])]);
const tooManyDownloads: Problem = { status: 503, code: "OVERLOADED.downloads", retryAfterSeconds: 1 };
const rangeNotSatisfiable: Problem = { status: 416, code: "RANGE_NOT_SATISFIABLE" };

/**
 * Downloads of exports (contract/exports.md#downloading): `format` csv (the default) or parquet. Rows are read again at
 * the export's position as fast as the client takes them. A CSV file has the length and SHA-256 in the log, a Parquet
 * file the number of rows, or the connection is cut before its end; `Range` and `If-Range` resume it.
 */
export function downloadHandler(deps: DownloadDeps): RequestHandler {
  const { maxConcurrent = 16, stalledMs } = deps;
  const places = createShares(maxConcurrent, Math.ceil(maxConcurrent / 2));
  return async (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return writeProblem(request, response, problems.methodNotAllowed, { Allow: "GET, HEAD" });
    }
    const format = formatOf(request, deps);
    if (typeof format !== "string") return writeProblem(request, response, format);
    const found = await deps.rawExportOf(Number(request.params.report_id));
    if (found === null || found.stage !== "completed") return writeProblem(request, response, problems.notFound);
    const range = format === "csv" ? requestedRange(request, found.bytes, etagOf(found)) : null;
    if (range === "unsatisfiable") {
      return writeProblem(request, response, rangeNotSatisfiable, { "Content-Range": `bytes */${found.bytes}` });
    }
    if (!places.take(found.appId, 1)) return writeProblem(request, response, tooManyDownloads);
    try {
      if (request.method === "GET") await deps.recordDownload(found, requestIdOf(response));
      const reply = format === "csv" ? csvReply(found, range, deps) : parquetReply(found, deps);
      const isHead = request.method === "HEAD";
      await streamReply(request, response, isHead ? { ...reply, pieces: noPieces() } : reply, stalledMs);
    } finally {
      places.release(found.appId, 1);
    }
  };
}

/** The requested format, or the problem of the URL. */
function formatOf(request: Request, { signingKey, now }: DownloadDeps): "csv" | "parquet" | Problem {
  const query = new URL(request.originalUrl, "http://host").searchParams;
  const single = (name: string): string => (query.getAll(name).length === 1 ? (query.get(name) ?? "") : "");
  const urlParts = {
    reportId: String(request.params.report_id),
    expires: single("expires"),
    signature: single("signature"),
  };
  const check = checkSignature(signingKey, urlParts, now());
  if (check === "invalid") return signatureInvalid;
  if (check === "expired") return urlExpired;
  const format = query.has("format") ? single("format") : "csv";
  return format === "csv" || format === "parquet" ? format : formatUnknown;
}

type StreamedReply = Extract<Reply, { readonly kind: "streamed" }>;

/** @param range null: the whole file */
function csvReply(found: CompletedExport, range: ByteRange | null, { rowsOf }: DownloadDeps): StreamedReply {
  const { bytes, sha256 } = found;
  const { first, last } = range ?? { first: 0, last: bytes - 1 };
  return {
    kind: "streamed",
    ...(range === null ? {} : { status: 206 }),
    pieces: csvBytes(found, { first, last }, rowsOf),
    mediaType: "text/csv; charset=utf-8; header=present",
    headers: {
      ...headersOf(found, "csv"),
      ...(range === null ? {} : { "Content-Range": `bytes ${first}-${last}/${bytes}` }),
      "Content-Length": String(last - first + 1),
      "Accept-Ranges": "bytes",
      ETag: etagOf(found),
      "Repr-Digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
    },
  };
}

function parquetReply(found: CompletedExport, { rowsOf }: DownloadDeps): StreamedReply {
  return {
    kind: "streamed",
    pieces: parquetOf(propertiesOf(found), rowsOfFile(found, rowsOf)),
    mediaType: "application/vnd.apache.parquet",
    headers: { ...headersOf(found, "parquet"), "Accept-Ranges": "none" },
  };
}

async function* noPieces(): AsyncGenerator<never> {}

function headersOf({ reportId, rows }: CompletedExport, extension: string): { readonly [name: string]: string } {
  return {
    "Content-Disposition": `attachment; filename="export-${reportId}.${extension}"`,
    "X-Row-Count": String(rows),
  };
}

function etagOf({ sha256 }: CompletedExport): string {
  return `"${sha256}"`;
}

/**
 * Bytes of a completed export's CSV file, read from the last resume point before them.
 * @throws {ExportNotReproduced} before the last of them when the file is shorter or, read as a whole, another one
 */
async function* csvBytes(
  found: CompletedExport,
  { first, last }: ByteRange,
  rowsOf: DownloadDeps["rowsOf"],
): AsyncGenerator<Uint8Array> {
  const begin = found.resumePoints.findLast(({ offset }) => offset <= first) ?? { offset: 0, after: null };
  const hash = begin.offset === 0 ? createHash("sha256") : null;
  let position = begin.offset;
  for await (const piece of csvPieces(propertiesOf(found), rowsOf(found, begin.after), begin.after === null)) {
    hash?.update(piece);
    const from = Math.max(first - position, 0);
    const to = Math.min(last + 1 - position, piece.length);
    position += piece.length;
    if (
      hash !== null &&
      position >= found.bytes &&
      (position > found.bytes || hash.copy().digest("hex") !== found.sha256)
    ) {
      throw notReproduced(found);
    }
    if (from < to) yield piece.subarray(from, to);
    if (position > last) return;
  }
  throw notReproduced(found);
}

/**
 * The rows of a completed export, in pages.
 * @throws {ExportNotReproduced} after the last of them when there are more or fewer
 */
async function* rowsOfFile(found: CompletedExport, rowsOf: DownloadDeps["rowsOf"]): AsyncGenerator<RawPage["rows"]> {
  let count = 0;
  for await (const { rows } of rowsOf(found, null)) {
    count += rows.length;
    yield rows;
  }
  if (count !== found.rows) throw notReproduced(found);
}

function notReproduced({ reportId }: CompletedExport): ExportNotReproduced {
  return new ExportNotReproduced(`Export ${reportId} has other rows than it was completed with`);
}

function propertiesOf({ query }: CompletedExport): readonly PropertyKey[] {
  return query.properties as readonly PropertyKey[];
}
