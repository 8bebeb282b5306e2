import type { UploadKind } from "../../domain/uploads/events.ts";
import { upload, uploadExample } from "../../infra/http/openapi/shared-schemas.ts";

const names: { readonly [kind in UploadKind]: string } = {
  ad_spend: "ad spend",
  legacy_cost: "costs in the older format",
  metric: "metrics",
};

/** The documentation of the call that sends a file of a kind. */
export function sendUploadDocs(kind: UploadKind) {
  return {
    summary: `Upload ${names[kind]}`,
    description:
      "A form with one CSV file. Its faults are told by its record, which is answered here and read with its " +
      "`requestId`: `succeeded` and `failed` are final.",
    contract: "contract/uploads.md#sending",
    request: { file: "(a CSV file)" },
    answers: { 200: { schema: upload, example: uploadExample } },
  };
}
