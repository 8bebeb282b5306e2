import type { OpenStage, UploadState } from "./upload.ts";
import type { UploadStatus } from "./upload-record.ts";

type Stage = Exclude<UploadState["stage"], "Absent">;

const statuses: Readonly<Record<Stage, UploadStatus>> = {
  Received: "uploaded",
  Validated: "validated",
  Ingested: "ingested",
  Succeeded: "succeeded",
  Failed: "failed",
};

const before: Readonly<Record<Exclude<Stage, "Failed">, UploadStatus | null>> = {
  Received: null,
  Validated: "uploaded",
  Ingested: "validated",
  Succeeded: "ingested",
};

/** The status as the record names it (contract/uploads.md#status); null while there is no upload. */
export function statusOf(state: UploadState): UploadStatus | null {
  return state.stage === "Absent" ? null : statuses[state.stage];
}

/** The status before the current one: `prevStatus` of the record. Null while there was none. */
export function prevStatus(state: UploadState): UploadStatus | null {
  if (state.stage === "Absent") return null;
  return state.stage === "Failed" ? statuses[state.after satisfies OpenStage] : before[state.stage];
}
