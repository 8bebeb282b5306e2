import { type DownloadTiming, type OpenDownload, openDownload } from "./download-attempts.ts";
import type { ExportFormat } from "./raw-exports.ts";

/** Where the bytes of a download go. */
export interface DownloadTarget {
  /** Number of bytes in it, including those of an earlier download. */
  size(): number;
  /** Appends bytes; rejects when it cannot accept more. */
  write(bytes: Uint8Array): Promise<void>;
  /** Removes all bytes; null where that is impossible. */
  readonly clear: (() => Promise<void>) | null;
  /** SHA-256 of all bytes in it, hex. */
  sha256(): Promise<string>;
}

/** The file of an export, downloaded. */
export interface DownloadedExport {
  /** Null when the server did not name it. */
  readonly rows: number | null;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

export interface ExportDownload {
  readonly format: ExportFormat;
  readonly target: DownloadTarget;
  /** A valid address of the file; called again when one has expired. */
  url(): Promise<string>;
  /** @param totalBytes of the whole file; null when that is not known */
  onProgress(bytes: number, totalBytes: number | null): void;
  readonly timing?: DownloadTiming | undefined;
  /** Ends the download when it aborts; the target keeps what has arrived. */
  readonly signal?: AbortSignal | undefined;
}

/** A download failed; the message has the reason. */
export class ExportNotDownloaded extends Error {
  override readonly name = "ExportNotDownloaded";
}

/** Maximum restarts of a Parquet file, which cannot be resumed. */
const maxRestarts = 3;
/** The last bytes of every Parquet file. */
const parquetEnd = "PAR1";

/**
 * Downloads the file of an export into a target, no faster than the target accepts it. A CSV file is resumed after the
 * bytes that the target has, also after a lost connection, and is compared with the SHA-256 that the server names.
 * @throws {ExportNotDownloaded}
 * @throws {ApiRefused} when the server refuses permanently
 */
export function downloadExport(download: ExportDownload): Promise<DownloadedExport> {
  const open = openDownload(download.url, download.timing, download.signal);
  return download.format === "csv" ? downloadCsv(open, download) : downloadParquet(open, download);
}

interface ServedFile {
  readonly rows: number | null;
  readonly bytes: number;
  readonly sha256: string;
}

async function downloadCsv(open: OpenDownload, download: ExportDownload): Promise<DownloadedExport> {
  const { target } = download;
  const file = await open.attempt("HEAD", () => ({}), servedFile);
  if (target.size() > file.bytes) await discard(target);
  const isResumed = target.size() > 0;
  await fill(open, download, file);
  if ((await target.sha256()) === file.sha256) return file;
  // The bytes of an earlier download may be from another file.
  if (isResumed && (await discard(target))) {
    await fill(open, download, file);
    if ((await target.sha256()) === file.sha256) return file;
  }
  await discard(target);
  throw new ExportNotDownloaded("What arrived has another SHA-256 than the server names; it must not be used.");
}

/** Downloads what the target lacks of a file. */
async function fill(open: OpenDownload, { target, onProgress }: ExportDownload, file: ServedFile): Promise<void> {
  onProgress(target.size(), file.bytes);
  if (target.size() === file.bytes) return;
  const headers = (): Record<string, string> =>
    target.size() === 0 ? {} : { range: `bytes=${target.size()}-`, "if-range": `"${file.sha256}"` };
  await open.attempt("GET", headers, async (response, pieces) => {
    if (sha256Of(response) !== file.sha256) {
      await discard(target);
      throw new ExportNotDownloaded("The server's file is not the one that this download began with.");
    }
    let known = isFrom(response, target.size()) ? 0 : target.size();
    for await (const piece of pieces) {
      const bytes = piece.subarray(Math.min(known, piece.length));
      known -= piece.length - bytes.length;
      if (target.size() + bytes.length > file.bytes) {
        await discard(target);
        throw new ExportNotDownloaded(`More than the ${file.bytes} bytes of the file arrived.`);
      }
      // Known bytes are no progress: a connection that is always cut before the first new one would be retried for ever.
      if (bytes.length === 0) continue;
      await target.write(bytes);
      open.progressed();
      onProgress(target.size(), file.bytes);
    }
    if (target.size() < file.bytes) throw open.cut(`after ${target.size()} of ${file.bytes} bytes`);
  });
}

/** Whether a response starts at an offset; otherwise it is the whole file. */
function isFrom({ status, headers }: Response, offset: number): boolean {
  if (status !== 206) return offset === 0;
  if (headers.get("content-range")?.startsWith(`bytes ${offset}-`) === true) return true;
  throw new ExportNotDownloaded("The server sent another part of the file than was requested.");
}

async function downloadParquet(open: OpenDownload, { target, onProgress }: ExportDownload): Promise<DownloadedExport> {
  await discard(target);
  let restarts = 0;
  return open.attempt(
    "GET",
    () => ({}),
    async (response, pieces) => {
      if (target.size() > 0) {
        restarts += 1;
        if (restarts > maxRestarts || !(await discard(target))) {
          throw new ExportNotDownloaded(`The download was cut ${restarts} times; a Parquet file cannot be resumed.`);
        }
      }
      let end = "";
      for await (const piece of pieces) {
        await target.write(piece);
        end = (end + Buffer.from(piece.subarray(-parquetEnd.length)).toString("latin1")).slice(-parquetEnd.length);
        open.progressed();
        onProgress(target.size(), null);
      }
      if (end !== parquetEnd) throw open.cut("before the end of the file");
      return { rows: rowsOf(response), bytes: target.size(), sha256: await target.sha256() };
    },
  );
}

/** Clears the target; false where that is impossible. */
async function discard(target: DownloadTarget): Promise<boolean> {
  if (target.size() > 0) await target.clear?.();
  return target.size() === 0;
}

async function servedFile(response: Response): Promise<ServedFile> {
  const bytes = response.headers.get("content-length") ?? "";
  if (!/^\d{1,15}$/.test(bytes)) throw new ExportNotDownloaded("The server does not say how long the file is.");
  return { rows: rowsOf(response), bytes: Number(bytes), sha256: sha256Of(response) };
}

/** SHA-256 of the whole file (RFC 9530), which is its ETag as well; hex. */
function sha256Of({ headers }: Response): string {
  const [, digest] = /\bsha-256=:([A-Za-z0-9+/]{43}=):/.exec(headers.get("repr-digest") ?? "") ?? [];
  const [, etag] = /^"([0-9a-f]{64})"$/.exec(headers.get("etag") ?? "") ?? [];
  const sha256 = digest === undefined ? etag : Buffer.from(digest, "base64").toString("hex");
  if (sha256 !== undefined) return sha256;
  throw new ExportNotDownloaded("The server does not say the SHA-256 of the file.");
}

function rowsOf({ headers }: Response): number | null {
  const text = headers.get("x-row-count") ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
