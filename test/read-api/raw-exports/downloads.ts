import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import type { ResumePoint } from "../../../domain/raw-exports/events.ts";
import type { PropertyKey } from "../../../domain/raw-exports/properties.ts";
import { addErrorHandlers } from "../../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../../infra/http/server/http-app.ts";
import { listen } from "../../../infra/http/server/http-server.ts";
import type { CompletedExport, RawExportRow } from "../../../projections/raw-exports/queries.ts";
import { csvOf, measureCsvFile } from "../../../read-api/raw-exports/csv-file.ts";
import { type DownloadDeps, downloadHandler } from "../../../read-api/raw-exports/download.ts";
import { downloadPath, signedUrl } from "../../../read-api/raw-exports/signed-url.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { checkDocumented } from "../../support/documented-responses.ts";

export const reportId = 120_543_001;
const signingKey = "signing-key-of-the-tests-0123456789abcdef";
const signedAt = new Date("2026-03-31T12:00:00.000Z");

export type Page = Parameters<typeof measureCsvFile>[1] extends AsyncIterable<infer One> ? One : never;
export const properties: readonly PropertyKey[] = ["event_id", "device_id", "event_value"];

/** Pages of rows that take one to four bytes a letter, need quotes, or are empty. */
export function pagesOf(rowCount: number, pageSize: number): readonly Page[] {
  const pages: Page[] = [];
  for (let at = 0; at < rowCount; at += pageSize) {
    const count = Math.min(pageSize, rowCount - at);
    const rows = Array.from({ length: count }, (_, index) => {
      const device = ["device", "기기", '"😀",\r\n', "=1+1"][(at + index) % 4] ?? "";
      return [exampleUuid("row", at + index), device.repeat((at + index) % 3), (at + index) % 5 === 0 ? null : "-1.5"];
    });
    pages.push({ rows, after: placeOf(at + count) });
  }
  return pages;
}

/** The place behind so many rows. */
const placeOf = (rows: number): ResumePoint["after"] => ({
  at: new Date(signedAt.getTime() + rows).toISOString(),
  id: exampleUuid("row", rows),
});

/** Pages as they are read, one after the other. */
export async function* streamOf(pages: readonly Page[]): AsyncGenerator<Page> {
  yield* pages;
}

/** What the log holds of an export of these pages; every page is a resume point when `resumes`. */
export async function completedOf(pages: readonly Page[], resumes = false): Promise<CompletedExport> {
  const file = await measureCsvFile(properties, streamOf(pages));
  let offset = `${properties.join(",")}\r\n`.length;
  const points = pages.flatMap(({ rows, after }) => {
    offset += Buffer.byteLength(csvOf(properties, rows));
    return after === null ? [] : [{ offset, after }];
  });
  return {
    reportId,
    appId: 1,
    position: 100n,
    query: { type: "app", start: "", end: "", events: ["app_install"], properties, filters: [] },
    now: signedAt,
    stage: "completed",
    ...file,
    resumePoints: resumes ? points : file.resumePoints,
  };
}

/** The whole file that these pages are. */
export function fileOf(pages: readonly Page[]): Buffer {
  return Buffer.from(`${properties.join(",")}\r\n${pages.map(({ rows }) => csvOf(properties, rows)).join("")}`);
}

export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Whether the connection was cut before the end. */
  readonly isCut: boolean;
}

/** Downloads over a real server, of an export and of rows that a test may change. */
export interface Downloads {
  readonly port: number;
  readonly failures: unknown[];
  /** Exports whose downloads were recorded. */
  readonly recorded: readonly number[];
  /** What is downloaded. */
  readonly stored: { found: RawExportRow | null; pages: readonly Page[]; now: Date; rowsOf: DownloadDeps["rowsOf"] };
  /** Pages that were read, places that reading began behind, and how often reading has ended. */
  readonly read: { pages: number; ended: number; readonly begun: (ResumePoint["after"] | null)[] };
  /** Path and query of the signed address. */
  readonly path: string;
  get(headers?: { readonly [name: string]: string }, path?: string, method?: string): Promise<Got>;
  close(): Promise<void>;
}

export async function startDownloads(
  options: Partial<Pick<DownloadDeps, "maxConcurrent" | "stalledMs" | "rawExportOf">> = {},
): Promise<Downloads> {
  const failures: unknown[] = [];
  const recorded: number[] = [];
  const read: Downloads["read"] = { pages: 0, ended: 0, begun: [] };
  const pages = pagesOf(25, 4);
  const stored: Downloads["stored"] = {
    found: await completedOf(pages),
    pages,
    now: signedAt,
    rowsOf: async function* (_one, after) {
      read.begun.push(after);
      try {
        const at = after === null ? 0 : stored.pages.findIndex((page) => page.after?.id === after.id) + 1;
        for (const page of stored.pages.slice(at)) {
          read.pages += 1;
          yield page;
        }
      } finally {
        read.ended += 1;
      }
    },
  };
  const app = createHttpApp();
  const handler = downloadHandler({
    rawExportOf: async (id) => (id === reportId ? stored.found : null),
    rowsOf: (one, after) => stored.rowsOf(one, after),
    recordDownload: async (one) => void recorded.push(one.reportId),
    signingKey,
    now: () => stored.now,
    ...options,
  });
  app.all(downloadPath, handler);
  addErrorHandlers(app, { failed: (failure) => failures.push(failure) });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const { port } = server;
  const path = pathOf(reportId);
  return {
    port,
    failures,
    recorded,
    stored,
    read,
    path,
    get: async (headers = {}, requested = path, method = "GET") => {
      const sent = request({ host: "127.0.0.1", port, path: requested, method, headers, agent: false });
      sent.end();
      const [response] = await once(sent, "response");
      const chunks: Buffer[] = [];
      let isCut = false;
      try {
        for await (const chunk of response) chunks.push(chunk);
      } catch {
        isCut = true;
      }
      const { statusCode: status, headers: received } = response;
      const bytes = Buffer.concat(chunks);
      const mediaType: string = received["content-type"] ?? "";
      const json: unknown = mediaType.includes("json") && bytes.length > 0 ? JSON.parse(bytes.toString()) : null;
      checkDocumented(method, requested, status, received, json);
      return { status, headers: received, bytes, isCut };
    },
    close: () => server.close(AbortSignal.timeout(100)),
  };
}

/** The signed path of an export, as the status response has it. */
export function pathOf(id: number): string {
  return signedUrl("", signingKey, id, signedAt);
}

export function codeOf({ status, bytes }: Got): string {
  const { code } = JSON.parse(bytes.toString()) as { readonly code: string };
  return `${status} ${code}`;
}
