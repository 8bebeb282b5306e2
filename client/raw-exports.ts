import { type ApiClient, required, type Sent } from "./client.ts";
import { retryAfterOf } from "./refusal.ts";
import { pause } from "./retries.ts";
import type { paths } from "./schema.ts";

export type ExportFormat = "csv" | "parquet";

const requestPath = "/log-export/api/v3/apps/{app_name}/{type}/request";

/** The body that requests an export. */
export type ExportRequest = Sent<paths[typeof requestPath]["post"]["requestBody"]["content"]["application/json"]>;

/** An export that was requested: its id, and where its status is read. */
export interface RequestedExport {
  readonly app: string;
  readonly reportId: number;
}

/** An export has not ended before the time limit; the server still processes it. */
export class ExportUnfinished extends Error {
  override readonly name = "ExportUnfinished";
}

const minPauseMs = 100;
const maxPauseMs = 30_000;
/** Pause between two requests, unless the server names a time. */
const defaultPauseMs = 1_000;

/**
 * Requests an export, with a new `Idempotency-Key` for each call.
 * @throws {ApiRefused} with `retryAfterSeconds` when the app has reached its limit of the day (429)
 */
export async function requestExport(
  client: ApiClient,
  app: string,
  type: "app" | "web" | "tracking-link",
  body: ExportRequest,
): Promise<RequestedExport> {
  const params = { path: { app_name: app, type } };
  const response = required(await client.POST(requestPath, { params, body: body as never }));
  const reportId: unknown = response?.data?.reportID;
  if (!Number.isSafeInteger(reportId)) throw new SyntaxError("The response has no reportID");
  return { app, reportId: Number(reportId) };
}

/**
 * Polls an export's status as `Retry-After` says until its file exists; returns the file's address, which needs no token
 * and expires. Calls `onWait` before every pause.
 * @throws {ApiRefused} 409 `EXPORT_FAILED`
 * @throws {ExportUnfinished} after `maxWaitMs`
 */
export async function waitForExport(
  client: ApiClient,
  { app, reportId }: RequestedExport,
  format: ExportFormat,
  onWait: () => void,
  maxWaitMs: number,
): Promise<string> {
  const deadline = performance.now() + maxWaitMs;
  const params = { path: { app_name: app, report_id: String(reportId) } };
  for (;;) {
    const result = await client.GET("/log-export/api/v3/apps/{app_name}/request/{report_id}", { params });
    const url = urlIn(required(result));
    if (url !== null) return format === "csv" ? url : withFormat(url, format);
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw new ExportUnfinished(`Export ${reportId} has not ended in ${maxWaitMs / 1000} s.`);
    onWait();
    const retryAfterSeconds = retryAfterOf(result.response);
    const pauseMs = retryAfterSeconds === null ? defaultPauseMs : retryAfterSeconds * 1_000;
    await pause(Math.min(Math.max(pauseMs, minPauseMs), maxPauseMs, leftMs), client.signal);
  }
}

/** The address in a status; null while there is none. */
function urlIn(body: unknown): string | null {
  const { data } = (body ?? {}) as { readonly data?: { readonly url?: unknown } };
  const url = data?.url;
  if (url === null) return null;
  if (typeof url === "string" && /^https?:\/\/./.test(url)) return url;
  throw new SyntaxError("The response has no address of a file");
}

function withFormat(url: string, format: ExportFormat): string {
  const address = new URL(url);
  address.searchParams.set("format", format);
  return address.href;
}
