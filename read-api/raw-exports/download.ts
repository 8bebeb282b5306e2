import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request, RequestHandler, Response } from "express";
import type { PropertyKey } from "../../domain/raw-exports/properties.ts";
import { CallerGone } from "../../infra/http/body.ts";
import { languageOf, sayLanguage } from "../../infra/http/content-language.ts";
import { type Problem, problems } from "../../infra/http/problem.ts";
import { writeProblem } from "../../infra/http/write-answer.ts";
import type { CompletedExport, RawExportRow } from "../../projections/raw-exports/queries.ts";
import type { RawPage } from "../../projections/reports/raw-rows.ts";
import type { RawPlace } from "../../projections/reports/raw-statement.ts";
import { askedRange, type ByteRange } from "./byte-range.ts";
import { csvPieces } from "./csv-file.ts";
import { parquetOf } from "./parquet.ts";
import { checkSignature } from "./signed-url.ts";

export interface DownloadDeps {
  rawExportOf(reportId: number): Promise<RawExportRow | null>;
  /** The rows of an export, in pages, behind a place; null: all. */
  rowsOf(one: CompletedExport, after: RawPlace | null): AsyncGenerator<RawPage>;
  readonly signingKey: string;
  now(): Date;
  /** Downloads at the same time, at most (default 16); further ones are 503. */
  readonly maxAtOnce?: number;
  /** A caller who takes nothing for so long loses the connection, and resumes (default 60 s). */
  readonly stalledMs?: number;
}

/** The rows that were read again are not those that the export was completed with. */
export class ExportNotReproduced extends Error {
  override readonly name = "ExportNotReproduced";
}

const signatureInvalid: Problem = {
  ...problems.forbidden,
  code: "SIGNATURE_INVALID",
  detail: "This is not an address that was given out, or it was changed on the way.",
};
const urlExpired: Problem = {
  ...problems.forbidden,
  code: "EXPORT_URL_EXPIRED",
  detail: "This address has expired; ask for the export's status to get another one.",
};
const formatUnknown: Problem = {
  ...problems.validationFailed,
  errors: [{ loc: ["query", "format"], msg: "must be csv or parquet", type: "not_allowed" }],
};
const tooManyDownloads: Problem = {
  ...problems.overloaded,
  detail: "As many files are being downloaded as this server sends at once; try again.",
};
const rangeNotSatisfiable: Problem = {
  status: 416,
  code: "RANGE_NOT_SATISFIABLE",
  title: "Range not satisfiable",
  detail: "The file ends before the range that was asked for.",
};

/**
 * Downloads of exports (D9.2): `format` csv (the default) or parquet. Rows are read again at the export's position as
 * fast as the caller takes them. A CSV file has the length and SHA-256 that the log holds, or the connection is cut
 * before its end; `Range` and `If-Range` resume it.
 */
export function downloadHandler(deps: DownloadDeps): RequestHandler {
  const { maxAtOnce = 16, stalledMs = 60_000 } = deps;
  let running = 0;
  return async (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return writeProblem(request, response, problems.methodNotAllowed, { Allow: "GET, HEAD" });
    }
    const format = formatOf(request, deps);
    if (typeof format !== "string") return writeProblem(request, response, format);
    const found = await deps.rawExportOf(Number(request.params.report_id));
    if (found === null || found.stage !== "completed") return writeProblem(request, response, problems.notFound);
    if (running >= maxAtOnce) return writeProblem(request, response, tooManyDownloads);
    running += 1;
    response.setTimeout(stalledMs, () => response.destroy());
    try {
      if (format === "parquet") await sendParquet(request, response, found, deps);
      else await sendCsv(request, response, found, deps);
    } finally {
      running -= 1;
    }
  };
}

/** The format that a sound URL asks for, or what is wrong with the URL. */
function formatOf(request: Request, { signingKey, now }: DownloadDeps): "csv" | "parquet" | Problem {
  const query = new URL(request.originalUrl, "http://host").searchParams;
  const given = (name: string): string => (query.getAll(name).length === 1 ? (query.get(name) ?? "") : "");
  const sent = {
    reportId: String(request.params.report_id),
    expires: given("expires"),
    signature: given("signature"),
  };
  const check = checkSignature(signingKey, sent, now());
  if (check === "invalid") return signatureInvalid;
  if (check === "expired") return urlExpired;
  const format = query.has("format") ? given("format") : "csv";
  return format === "csv" || format === "parquet" ? format : formatUnknown;
}

async function sendCsv(
  request: Request,
  response: Response,
  found: CompletedExport,
  { rowsOf }: DownloadDeps,
): Promise<void> {
  const { bytes, sha256 } = found;
  const etag = `"${sha256}"`;
  const range = askedRange(request, bytes, etag);
  if (range === "unsatisfiable") {
    return writeProblem(request, response, rangeNotSatisfiable, { "Content-Range": `bytes */${bytes}` });
  }
  const { first, last } = range ?? { first: 0, last: bytes - 1 };
  response.statusCode = range === null ? 200 : 206;
  if (range !== null) response.setHeader("Content-Range", `bytes ${first}-${last}/${bytes}`);
  response.setHeader("Content-Length", last - first + 1);
  response.setHeader("Accept-Ranges", "bytes");
  response.setHeader("ETag", etag);
  response.setHeader("Repr-Digest", `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`);
  writeHead(request, response, found, "csv", "text/csv; charset=utf-8; header=present");
  await send(request, response, csvBytes(found, { first, last }, rowsOf));
}

async function sendParquet(
  request: Request,
  response: Response,
  found: CompletedExport,
  { rowsOf }: DownloadDeps,
): Promise<void> {
  response.setHeader("Accept-Ranges", "none");
  writeHead(request, response, found, "parquet", "application/vnd.apache.parquet");
  await send(request, response, parquetOf(propertiesOf(found), rowsIn(rowsOf(found, null))));
}

function writeHead(
  request: Request,
  response: Response,
  { reportId, rows }: CompletedExport,
  extension: string,
  mediaType: string,
): void {
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Content-Type", mediaType);
  response.setHeader("Content-Disposition", `attachment; filename="export-${reportId}.${extension}"`);
  response.setHeader("X-Row-Count", rows);
  sayLanguage(response, languageOf(request));
}

/** @throws {CallerGone} when the caller hangs up before the end */
async function send(request: Request, response: Response, pieces: AsyncGenerator<Uint8Array>): Promise<void> {
  if (request.method === "HEAD") {
    await pieces.return(undefined);
    response.end();
    return;
  }
  try {
    // Only the next piece is made while one is on its way.
    await pipeline(Readable.from(pieces, { highWaterMark: 1 }), response);
  } catch (failure) {
    const isHangUp = failure instanceof Error && "code" in failure && failure.code === "ERR_STREAM_PREMATURE_CLOSE";
    throw isHangUp ? new CallerGone() : failure;
  }
}

/**
 * Bytes of a completed export's CSV file, read from the last place before them that is known.
 * @throws {ExportNotReproduced} before the last of them when the file is shorter or, all of it read, another one
 */
async function* csvBytes(
  found: CompletedExport,
  { first, last }: ByteRange,
  rowsOf: DownloadDeps["rowsOf"],
): AsyncGenerator<Uint8Array> {
  const begin = found.resumePoints.findLast(({ offset }) => offset <= first) ?? { offset: 0, after: null };
  const hash = begin.offset === 0 ? createHash("sha256") : null;
  const fault = new ExportNotReproduced(`Export ${found.reportId} has other rows than it was completed with`);
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
      throw fault;
    }
    if (from < to) yield piece.subarray(from, to);
    if (position > last) return;
  }
  throw fault;
}

async function* rowsIn(pages: AsyncIterable<RawPage>): AsyncGenerator<RawPage["rows"]> {
  for await (const { rows } of pages) yield rows;
}

function propertiesOf({ query }: CompletedExport): readonly PropertyKey[] {
  return query.properties as readonly PropertyKey[];
}
