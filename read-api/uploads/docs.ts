import type { UploadKind } from "../../domain/uploads/events.ts";
import { uploadKinds } from "../../domain/uploads/upload-kinds.ts";
import {
  instant,
  integer,
  listOf,
  mapOf,
  nullable,
  object,
  position,
  text,
  uuid,
} from "../../infra/http/openapi/route-docs.ts";
import { actor, pagination, upload, uploadExample, uploadMembers } from "../../infra/http/openapi/shared-schemas.ts";
import { listResponse } from "../listing.ts";

const succeeded = { ...uploadExample, status: "succeeded", prevStatus: "ingested" };
const problems = [{ status: 404, code: "UPLOAD_NOT_FOUND" }];

/** The documentation of the list of uploads of a kind. */
export function listUploadsDocs(kind: UploadKind) {
  return {
    summary: `List uploads of ${uploadKinds[kind].title}`,
    description:
      "Returns the uploads, newest first, filtered by status and by the local dates of receipt, both inclusive.",
    contract: "contract/uploads.md#listing",
    responses: {
      200: listResponse("uploads", upload, succeeded),
    },
  };
}

/** The documentation of the call that reads the record of an upload of a kind. */
export function uploadDocs(kind: UploadKind) {
  return {
    summary: `Read the record of an upload of ${uploadKinds[kind].title}`,
    description:
      "Returns the record of an upload. The states `succeeded` and `failed` are final. `reason` is JSON text with " +
      "the faults of each column.",
    contract: "contract/uploads.md#record",
    responses: { 200: { schema: upload, example: succeeded } },
    problems,
  };
}

export const uploadedFileDocs = {
  summary: "Download the file of an upload",
  description: "Returns the file byte for byte as it was sent, also when the upload failed.",
  contract: "contract/uploads.md#history",
  responses: {
    200: {
      mediaType: "application/octet-stream",
      example: "(the bytes of the file)",
      headers: ["ETag", "Repr-Digest", "Content-Disposition"] as const,
    },
    304: null,
  },
  problems,
};

const rowsCsv = {
  mediaType: "text/csv",
  example: "request_id,row,date,channel,...\r\n",
  headers: ["Content-Disposition", "X-As-Of-Position"] as const,
};

export const rowsDocs = {
  summary: "Get the current uploaded rows",
  description:
    "Returns the rows as CSV, as reports of the position use them that the response header `X-As-Of-Position` has.",
  contract: "contract/uploads.md#history",
  responses: { 200: rowsCsv },
};

const uploads = listOf(object({ requestId: uuid, rows: integer }));
const row = { row: integer, key: mapOf({}), replacedAt: position };
const replaced = object({ uploads, rows: listOf(object({ requestId: uuid, ...row })) });
const replacedBy = object({ uploads, rows: listOf(object({ ...row, replacedBy: uuid })) });
const record = {
  ...uploadMembers,
  kind: text,
  fileName: nullable(text),
  bytes: integer,
  sha256: text,
  rows: nullable(integer),
  rowsInForce: integer,
};
const event = object({
  position,
  time: instant,
  recordedAt: instant,
  actor,
  requestId: text,
  type: text,
  data: nullable(mapOf({})),
});

const fileExample = { fileName: "spend.csv", bytes: 1024, sha256: "ab".repeat(32) };
const receivedExample = {
  position: "12345",
  time: "2026-01-05T00:00:00.000Z",
  recordedAt: "2026-01-05T00:00:00.012Z",
  actor: { kind: "token", tokenId: "0f".repeat(16), role: "owner", label: "site" },
  requestId: "018f4f3a-6f2b-7c1d-8a52-0c9f5f2f9a10",
  type: "UploadReceived",
  data: {
    ...{ requestId: uploadExample.requestId, appId: 1, kind: "ad_spend" },
    ...{ ...fileExample, receivedAt: "2026-01-05T00:00:00.000Z" },
  },
};

export const uploadHistoryDocs = {
  summary: "Get the history of an upload",
  description:
    "Returns the events of the upload, who sent it, the rows that it replaced, and its rows that were replaced " +
    "later; with `format=csv` its current rows instead.",
  contract: "contract/uploads.md#history",
  responses: {
    200: [
      {
        schema: object({
          data: object({ upload: object(record), events: listOf(event), replaced, replacedBy }),
          pagination: object({ replaced: pagination, replacedBy: pagination }),
        }),
        example: {
          data: {
            upload: {
              ...succeeded,
              ...{ ...fileExample, kind: "ad_spend", rows: 10, rowsInForce: 10 },
            },
            events: [receivedExample],
            replaced: { uploads: [], rows: [] },
            replacedBy: { uploads: [], rows: [] },
          },
          pagination: {
            replaced: { hasNext: false, totalCount: 0 },
            replacedBy: { hasNext: false, totalCount: 0 },
          },
        },
      },
      rowsCsv,
    ],
  },
  problems,
};
