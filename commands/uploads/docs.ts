import type { UploadKind } from "../../domain/uploads/events.ts";
import { uploadKinds } from "../../domain/uploads/upload-kinds.ts";
import { upload, uploadExample } from "../../infra/http/openapi/shared-schemas.ts";

/** The documentation of the call that sends a file of a kind. */
export function sendUploadDocs(kind: UploadKind) {
  return {
    summary: `Upload ${uploadKinds[kind].title}`,
    description:
      "The body is a form with one CSV file. Returns the record of the upload; poll it with its `requestId`. The " +
      "states `succeeded` and `failed` are final; a failed upload has the faults of the file.",
    contract: "contract/uploads.md#sending",
    request: { file: "(a CSV file)" },
    responses: { 200: { schema: upload, example: uploadExample } },
  };
}
