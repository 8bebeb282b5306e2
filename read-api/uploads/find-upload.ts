import { uuidOf } from "../../domain/values/uuid.ts";
import type { Problem } from "../../infra/http/response/problem.ts";
import type { UploadRow } from "../../projections/uploads/queries.ts";

/** An upload of an app, of any kind; null when the app has none of that id, which must be a UUID. */
export type UploadOf = (appId: number, requestId: string) => Promise<UploadRow | null>;

export const uploadNotFound: Problem = { status: 404, code: "UPLOAD_NOT_FOUND" };

/** The upload that a path names; null for any text that is no upload's id. */
export async function knownUpload(
  uploadOf: UploadOf,
  appId: number,
  requestId: string | undefined,
): Promise<UploadRow | null> {
  const id = uuidOf(requestId ?? "");
  return id === null ? null : uploadOf(appId, id);
}
