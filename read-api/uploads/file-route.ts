import { attachment } from "../../infra/http/response/attachment.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { type Route, refuse, route } from "../../infra/http/routing/route.ts";
import { knownUpload, type UploadOf, uploadNotFound } from "./find-upload.ts";

export interface UploadFileOptions {
  readonly uploadOf: UploadOf;
  /** The bytes of a file as they were sent; rejects when they do not have that hash (SHA-256, hex). */
  readonly uploadedFile: (requestId: string, sha256: string) => Promise<Uint8Array>;
}

/**
 * The file of an upload as it was sent, byte for byte, also when the upload failed (contract/uploads.md#history).
 * `Repr-Digest` (RFC 9530) and `ETag` tell its SHA-256.
 */
export function uploadFileRoute({ uploadOf, uploadedFile }: UploadFileOptions): Route {
  return route({
    method: "get",
    path: "/admin/v1/apps/:app_name/uploads/:requestId/file",
    operation: "administer_app",
    reads: "control",
    handle: async ({ app, params }) => {
      if (app === null) return refuse(problems.appNotFound);
      const upload = await knownUpload(uploadOf, app.appId, params.requestId);
      if (upload === null) return refuse(uploadNotFound);
      const { requestId, sha256, fileName } = upload;
      return {
        kind: "written",
        text: await uploadedFile(requestId, sha256),
        mediaType: "application/octet-stream",
        headers: {
          "Content-Disposition": attachment(fileName ?? requestId),
          "Repr-Digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
          ETag: `"${sha256}"`,
        },
      };
    },
  });
}
