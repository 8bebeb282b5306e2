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
import { listResponse } from "../listing.ts";

export const exportDocs = {
  summary: "Get the address of an export",
  description:
    "Returns 202 with `Retry-After` while the file is being written, then the address of the file. The address " +
    "needs no token and expires.",
  contract: "contract/exports.md#requesting",
  responses: {
    200: {
      schema: data({ url: text }),
      example: { data: { url: "https://api.example/log-export/..." } },
    },
    202: { schema: data({ url: nullable(text) }), example: { data: { url: null } } },
  },
  problems: [
    { status: 404, code: "EXPORT_NOT_FOUND" },
    { status: 409, code: "EXPORT_FAILED" },
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
