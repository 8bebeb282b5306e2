import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { RawExportType } from "../../domain/raw-exports/events.ts";
import type { RawExportRequest } from "../../domain/raw-exports/export-query.ts";
import type { ApiClient } from "./api-client.ts";

export type ExportFormat = "csv" | "parquet";

/** An export that was requested: its id, and where its status is read. */
export interface RequestedExport {
  readonly reportId: number;
  readonly path: string;
}

/** An export has not ended before the time limit; the server still processes it. */
export class ExportUnfinished extends Error {
  override readonly name = "ExportUnfinished";
}

const exportsPath = (app: string): string => `/log-export/api/v3/apps/${encodeURIComponent(app)}`;
const minPauseMs = 100;
const maxPauseMs = 30_000;
/** Between two requests, unless the server names a time. */
const defaultPauseMs = 1_000;

/**
 * Requests an export (contract/exports.md#requesting), with a new `Idempotency-Key` for each call.
 * @throws {ApiRefused} with `retryAfterSeconds` when the app has reached its limit of the day (429)
 */
export async function requestExport(
  api: ApiClient,
  app: string,
  type: RawExportType,
  body: RawExportRequest,
): Promise<RequestedExport> {
  const headers = { "idempotency-key": randomUUID() };
  const reply = await api.exchange("POST", `${exportsPath(app)}/${type}/request`, { body, headers });
  const { data } = (reply.body ?? {}) as { readonly data?: { readonly reportID?: unknown } };
  if (!Number.isSafeInteger(data?.reportID)) throw new SyntaxError("The answer has no reportID");
  return exportWithId(app, Number(data?.reportID));
}

/** An export that was requested before. */
export function exportWithId(app: string, reportId: number): RequestedExport {
  return { reportId, path: `${exportsPath(app)}/request/${reportId}` };
}

/**
 * Polls an export's status as `Retry-After` says until its file exists; returns the file's address, which needs no token
 * and expires (contract/exports.md#downloading). Calls `onWait` before every pause.
 * @throws {ApiRefused} 409 `EXPORT_FAILED`
 * @throws {ExportUnfinished} after `maxWaitMs`
 */
export async function waitForExport(
  api: ApiClient,
  { reportId, path }: RequestedExport,
  format: ExportFormat,
  onWait: () => void,
  maxWaitMs: number,
): Promise<string> {
  const deadline = Date.now() + maxWaitMs;
  for (;;) {
    const { body, retryAfterSeconds } = await api.exchange("GET", path);
    const url = urlIn(body);
    if (url !== null) return format === "csv" ? url : withFormat(url, format);
    if (Date.now() > deadline) throw new ExportUnfinished(`Export ${reportId} has not ended in ${maxWaitMs / 1000} s.`);
    onWait();
    const pauseMs = retryAfterSeconds === null ? defaultPauseMs : retryAfterSeconds * 1_000;
    await pause(Math.min(Math.max(pauseMs, minPauseMs), maxPauseMs));
  }
}

/** The address in a status; null while there is none. */
function urlIn(body: unknown): string | null {
  const { data } = (body ?? {}) as { readonly data?: { readonly url?: unknown } };
  const url = data?.url;
  if (url === null) return null;
  if (typeof url === "string" && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new SyntaxError("The answer has no address of a file");
}

function withFormat(url: string, format: ExportFormat): string {
  const address = new URL(url);
  address.searchParams.set("format", format);
  return address.href;
}
