import type { UploadKind } from "../../domain/uploads/events.ts";
import { uploadRecord } from "../../domain/uploads/upload-record.ts";
import { type Problem, problems } from "../../infra/http/problem.ts";
import { ok, type Route, refuse, route } from "../../infra/http/route.ts";
import type { UploadRow } from "../../projections/uploads/queries.ts";

export interface UploadReadOptions {
  /** An upload of an app, of any kind; null when the app has none of that id. */
  readonly uploadOf: (appId: number, requestId: string) => Promise<UploadRow | null>;
}

/** Where each kind of upload is asked for (A: uploads). */
const paths: readonly { readonly kind: UploadKind; readonly path: string; readonly id: string }[] = [
  { kind: "ad_spend", path: "/self-serve-data/v1/ad-spend/requests/:request_id", id: "request_id" },
  { kind: "metric", path: "/self-serve-data/v1/metric/requests/:request_id", id: "request_id" },
  { kind: "legacy_cost", path: "/custom-data-upload/v1.0/cost/requests/:requestId", id: "requestId" },
];

const uploadNotFound: Problem = {
  ...problems.notFound,
  code: "UPLOAD_NOT_FOUND",
  detail: "There is no such upload, or this token may not see it.",
};

/** The routes that tell how far an upload is (A: Upload request record). An upload of another kind is not there. */
export function uploadReadRoutes({ uploadOf }: UploadReadOptions): readonly Route[] {
  return paths.map(({ kind, path, id }) =>
    route({
      method: "get",
      path,
      operation: "upload_data",
      serviceApiKey: kind === "legacy_cost",
      reads: "control",
      handle: async ({ app, params }) => {
        if (app === null) return refuse(problems.appNotFound);
        const requestId = params[id];
        const upload = isUuid(requestId) ? await uploadOf(app.appId, requestId) : null;
        if (upload === null || upload.kind !== kind) return refuse(uploadNotFound);
        const { receivedAt: createdAt, ...progress } = upload;
        return ok(uploadRecord({ ...progress, createdAt }, app.timezone));
      },
    }),
  );
}

function isUuid(text: string | undefined): text is string {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text ?? "");
}
