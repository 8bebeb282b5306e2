import { kindNames, uploadKinds } from "../../domain/uploads/upload-kinds.ts";
import { uploadRecord } from "../../domain/uploads/upload-record.ts";
import type { Language } from "../../domain/values/language.ts";
import { uuidOf } from "../../domain/values/uuid.ts";
import { reasonOf } from "../../infra/http/i18n/messages.ts";
import { attachment } from "../../infra/http/response/attachment.ts";
import type { Problem } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import type { ListPage } from "../../projections/list-page.ts";
import type { UploadList, UploadRow } from "../../projections/uploads/queries.ts";
import { dateParameters, instantsOfDates, listParameters, listReply, pageOf } from "../listing.ts";
import { listUploadsDocs, uploadDocs, uploadedFileDocs } from "./docs.ts";

export interface UploadReadOptions {
  readonly listUploads: (list: UploadList) => Promise<ListPage<UploadRow>>;
  /** An upload of an app, of any kind; `requestId` is a UUID. */
  readonly uploadOf: (appId: number, requestId: string) => Promise<UploadRow | null>;
  /** The bytes of a file as sent. Rejects when they do not have that hash (SHA-256, hex). */
  readonly uploadedFile: (requestId: string, sha256: string) => Promise<Uint8Array>;
}

const uploadListQuery = {
  type: "object",
  properties: {
    ...dateParameters,
    ...listParameters,
    status: { type: "string", enum: ["uploaded", "validated", "ingested", "succeeded", "failed"] },
  },
} as const;

export const uploadNotFound: Problem = { status: 404, code: "UPLOAD_NOT_FOUND" };

/** The upload that a path names; null for any other text. */
export async function findUpload(
  uploadOf: UploadReadOptions["uploadOf"],
  appId: number,
  requestId: string | undefined,
): Promise<UploadRow | null> {
  const id = uuidOf(requestId ?? "");
  return id === null ? null : uploadOf(appId, id);
}

/** The records of uploads (contract/uploads.md#record), at a path for each kind, and their files. */
export function uploadReadRoutes({ listUploads, uploadOf, uploadedFile }: UploadReadOptions): readonly Route[] {
  const listRoutes = kindNames.map((kind) =>
    appRoute({
      method: "get",
      path: uploadKinds[kind].path,
      docs: listUploadsDocs(kind),
      operation: "upload_data",
      serviceApiKey: uploadKinds[kind].acceptsServiceApiKey,
      query: uploadListQuery,
      reads: "control",
      handle: async ({ app, query, language }) => {
        const isDated = query.from !== undefined || query.to !== undefined;
        const received = isDated ? instantsOfDates(app.timezone, query) : null;
        if (received !== null && "status" in received) return refuse(received);
        const list = { appId: app.appId, kind, status: query.status ?? null, received, ...pageOf(query) };
        return listReply("uploads", await listUploads(list), (upload) => recordOf(upload, app.timezone, language));
      },
    }),
  );
  const recordRoutes = kindNames.map((kind) =>
    appRoute({
      method: "get",
      path: `${uploadKinds[kind].path}/:request_id`,
      docs: uploadDocs(kind),
      operation: "upload_data",
      serviceApiKey: uploadKinds[kind].acceptsServiceApiKey,
      reads: "control",
      handle: async ({ app, params, language }) => {
        const upload = await findUpload(uploadOf, app.appId, params.request_id);
        if (upload === null || upload.kind !== kind) return refuse(uploadNotFound);
        return ok(recordOf(upload, app.timezone, language));
      },
    }),
  );
  // The file byte for byte, also when the upload failed. `Repr-Digest` (RFC 9530) and `ETag` are its SHA-256.
  const fileRoute = appRoute({
    method: "get",
    path: "/admin/v1/apps/:app_name/uploads/:requestId/file",
    docs: uploadedFileDocs,
    operation: "administer_app",
    reads: "control",
    handle: async ({ app, params }) => {
      const upload = await findUpload(uploadOf, app.appId, params.requestId);
      if (upload === null) return refuse(uploadNotFound);
      const { requestId, sha256, fileName } = upload;
      return {
        kind: "written",
        text: await uploadedFile(requestId, sha256),
        mediaType: "application/octet-stream",
        headers: {
          "Content-Disposition": attachment(fileName ?? requestId),
          "Repr-Digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
        },
        etag: `"${sha256}"`,
      };
    },
  });
  return [...listRoutes, ...recordRoutes, fileRoute];
}

function recordOf({ faults, receivedAt: createdAt, ...progress }: UploadRow, timezone: string, language: Language) {
  return uploadRecord({ ...progress, createdAt, reason: faults && reasonOf(faults, language) }, timezone);
}
