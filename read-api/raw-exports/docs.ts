import { data, nullable, text } from "../../infra/http/openapi/route-docs.ts";

export const exportDocs = {
  summary: "Read the address of an export",
  description:
    "202 with `Retry-After` while the file is being written. Then the address of the file, which needs no token and is " +
    "valid for a limited time.",
  contract: "contract/exports.md#requesting",
  answers: {
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
