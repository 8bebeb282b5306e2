import type { Problem } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse, reply } from "../../infra/http/routing/route.ts";
import type { ListPage } from "../../projections/list-page.ts";
import type { RawExportList, RawExportRow } from "../../projections/raw-exports/queries.ts";
import { listParameters, listReply, pageOf } from "../listing.ts";
import type { RecordRead } from "../record-read.ts";
import { exportDocs, listExportsDocs } from "./docs.ts";
import { signedUrl } from "./signed-url.ts";

export interface RawExportReadDeps {
  listRawExports(list: RawExportList): Promise<ListPage<RawExportRow>>;
  readonly recordRead: RecordRead;
  rawExportOf(reportId: number): Promise<RawExportRow | null>;
  readonly baseUrl: string;
  readonly signingKey: string;
  now(): Date;
}

/** `Retry-After` of an unfinished export. */
const retryAfterSeconds = 2;

const exportNotFound: Problem = { status: 404, code: "EXPORT_NOT_FOUND" };

/**
 * The routes of an app's exports, and of an export's status and the signed URL of its file (contract/exports.md#listing,
 * contract/exports.md#downloading).
 */
export function rawExportReadRoutes({
  listRawExports,
  rawExportOf,
  recordRead,
  baseUrl,
  signingKey,
  now,
}: RawExportReadDeps): readonly Route[] {
  return [
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name/exports",
      docs: listExportsDocs,
      operation: "administer_app",
      query: exportListQuery,
      reads: "control",
      handle: async ({ app, query }) => {
        const found = await listRawExports({ appId: app.appId, stage: query.status ?? null, ...pageOf(query) });
        return listReply("exports", found, listedExport);
      },
    }),
    appRoute({
      method: "get",
      path: "/log-export/api/v3/apps/:app_name/request/:report_id",
      docs: exportDocs,
      operation: "raw_export",
      reads: "control",
      handle: async (request) => {
        const { app, params } = request;
        const reportId = reportIdIn(params.report_id);
        const found = reportId === null ? null : await rawExportOf(reportId);
        if (found === null || found.appId !== app.appId) return refuse(exportNotFound);
        switch (found.stage) {
          case "requested":
            return reply(202, { data: { url: null } }, { headers: { "Retry-After": String(retryAfterSeconds) } });
          case "failed":
            return refuse({ status: 409, code: `EXPORT_FAILED.${found.failure}` });
          case "completed":
            await recordRead({ appId: app.appId, what: "export_url", reportId: found.reportId }, request);
            return ok({ data: { url: signedUrl(baseUrl, signingKey, found.reportId, now()) } });
        }
      },
    }),
  ];
}

function listedExport(rawExport: RawExportRow) {
  const { reportId, stage, query, now, position } = rawExport;
  const { rows, bytes, sha256 } = stage === "completed" ? rawExport : noFile;
  return {
    reportID: reportId,
    status: stage,
    type: query.type,
    start: query.start,
    end: query.end,
    requestedAt: now.toISOString(),
    asOfPosition: position.toString(),
    rows,
    bytes,
    sha256,
  };
}

const noFile = { rows: null, bytes: null, sha256: null };

const exportListQuery = {
  type: "object",
  properties: { ...listParameters, status: { type: "string", enum: ["requested", "completed", "failed"] } },
} as const;

/** The id in a path, in its canonical spelling; null for any other text. */
function reportIdIn(text: string | undefined): number | null {
  const number = /^[1-9]\d{0,15}$/.test(text ?? "") ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : null;
}
