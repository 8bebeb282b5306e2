import { fault } from "../../domain/fault.ts";
import type { OpenEndpoint } from "../../infra/http/openapi/open-endpoints.ts";
import {
  data,
  instant,
  integer,
  nullable,
  object,
  oneOf,
  position,
  text,
} from "../../infra/http/openapi/route-docs.ts";
import { problems, validationFailed } from "../../infra/http/response/problem.ts";
import { listResponse } from "../listing.ts";
import { downloadPath } from "./signed-url.ts";

const ofFile = ["Content-Disposition", "X-Row-Count", "Accept-Ranges"] as const;
const ofCsvFile = ["ETag", "Repr-Digest", ...ofFile] as const;

export const exportDocs = {
  summary: "Get the address of an export",
  description:
    "Returns 202 with `Retry-After` while the file is being written, then the address of the file. The address " +
    "needs no token and expires.",
  contract: "contract/exports.md#downloading",
  responses: {
    200: {
      schema: data({ url: text }),
      example: { data: { url: "https://api.example/log-export/..." } },
    },
    202: { schema: data({ url: nullable(text) }), example: { data: { url: null } }, headers: ["Retry-After"] as const },
  },
  problems: [
    { status: 404, code: "EXPORT_NOT_FOUND" },
    { status: 409, code: "EXPORT_FAILED.internal_error" },
  ],
};

export const listExportsDocs = {
  summary: "List the exports of an app",
  description: "Returns the exports, newest first, filtered by status. Rows, size and hash are those of the CSV file.",
  contract: "contract/exports.md#listing",
  responses: {
    200: listResponse(
      "exports",
      object({
        reportID: integer,
        status: oneOf("requested", "completed", "failed"),
        type: oneOf("app", "web", "tracking-link"),
        start: text,
        end: text,
        requestedAt: instant,
        asOfPosition: position,
        rows: nullable(integer),
        bytes: nullable(integer),
        sha256: nullable(text),
      }),
      {
        ...{
          reportID: 120543001,
          status: "completed",
          type: "app",
          start: "2026-01-01 00:00:00",
          end: "2026-01-01 23:59:59",
        },
        ...{
          requestedAt: "2026-01-05T00:00:00.000Z",
          asOfPosition: "12345",
          rows: 2,
          bytes: 96,
          sha256: "5feceb66...",
        },
      },
    ),
  },
};

/** The signed address of an export's file. */
export const downloadEndpoint: OpenEndpoint = {
  path: downloadPath,
  parameters: [
    {
      ...{ name: "expires", in: "query", required: true, schema: text, example: "1767571200" },
      description: "When the address expires, in seconds since the epoch.",
    },
    {
      ...{ name: "signature", in: "query", required: true, schema: text, example: "0".repeat(64) },
      description: "The signature of the address.",
    },
    { name: "format", in: "query", description: "`csv` (default) or `parquet`.", schema: text },
    {
      ...{ name: "Range", in: "header", schema: text, example: "bytes=1048576-" },
      description: "The part of a CSV file to send.",
    },
    {
      ...{ name: "If-Range", in: "header", schema: text },
      description: "The `ETag` of the file that is resumed: another one is sent as a whole.",
    },
  ],
  docs: {
    summary: "Download the file of an export",
    description: "The whole address is in the response about the export. `Range` resumes the download of a CSV file.",
    contract: "contract/exports.md#downloading",
    responses: {
      200: [
        { mediaType: "text/csv", example: "event_datetime,event_category\r\n", headers: ofCsvFile },
        { mediaType: "application/vnd.apache.parquet", example: "PAR1", headers: ofFile },
      ],
      206: { mediaType: "text/csv", example: "event_category\r\n", headers: [...ofCsvFile, "Content-Range"] as const },
    },
    problems: [
      ...[
        validationFailed([fault("not_allowed.export_format", ["query", "format"])]),
        problems.notFound,
        problems.starting,
      ],
      ...[problems.overloaded, problems.unavailable, problems.internalError],
      { status: 403, code: "SIGNATURE_INVALID" },
      { status: 403, code: "EXPORT_URL_EXPIRED" },
      { status: 416, code: "RANGE_NOT_SATISFIABLE" },
    ],
  },
};
