import type { UploadKind } from "../../domain/uploads/events.ts";
import { uploadRecord } from "../../domain/uploads/upload-record.ts";
import { translatedReason } from "../../infra/http/i18n/translate.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { ok, type Route, refuse, route } from "../../infra/http/routing/route.ts";
import { knownUpload, type UploadOf, uploadNotFound } from "./find-upload.ts";

export interface UploadReadOptions {
  readonly uploadOf: UploadOf;
}

/** Where each kind of upload is asked for (contract/uploads.md). */
const paths: readonly { readonly kind: UploadKind; readonly path: string; readonly id: string }[] = [
  { kind: "ad_spend", path: "/self-serve-data/v1/ad-spend/requests/:request_id", id: "request_id" },
  { kind: "metric", path: "/self-serve-data/v1/metric/requests/:request_id", id: "request_id" },
  { kind: "legacy_cost", path: "/custom-data-upload/v1.0/cost/requests/:requestId", id: "requestId" },
];

/**
 * The routes that tell how far an upload is (contract/uploads.md#record), and in the caller's language why it failed
 * (contract/http.md#languages). An upload of another kind is not there.
 */
export function uploadReadRoutes({ uploadOf }: UploadReadOptions): readonly Route[] {
  return paths.map(({ kind, path, id }) =>
    route({
      method: "get",
      path,
      operation: "upload_data",
      serviceApiKey: kind === "legacy_cost",
      reads: "control",
      handle: async ({ app, params, language }) => {
        if (app === null) return refuse(problems.appNotFound);
        const upload = await knownUpload(uploadOf, app.appId, params[id]);
        if (upload === null || upload.kind !== kind) return refuse(uploadNotFound);
        const { receivedAt: createdAt, reason, ...progress } = upload;
        const told = reason === null ? null : translatedReason(reason, language);
        return ok(uploadRecord({ ...progress, createdAt, reason: told }, app.timezone));
      },
    }),
  );
}
