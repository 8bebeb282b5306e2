import { fault } from "../../domain/fault.ts";
import type { UploadKind } from "../../domain/uploads/events.ts";
import { uploadKinds } from "../../domain/uploads/upload-kinds.ts";
import type { UploadStatus } from "../../domain/uploads/upload-record.ts";
import { minuteMs } from "../../domain/values/instants.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import type { Reactor } from "../reactors/reactor.ts";
import { runnableAmong } from "../reactors/runnable-work.ts";
import { uploadSteps } from "./upload-steps.ts";
import type { Validation } from "./validate-upload.ts";

/** An upload of the to-do list. */
export interface OpenUpload {
  readonly requestId: string;
  readonly appId: number;
  readonly kind: UploadKind;
  readonly status: UploadStatus;
  readonly receivedAt: Date;
  /** Log position from which its rows are in force. */
  readonly ingestedPosition: bigint | null;
}

export interface UploadPipelineDeps<Upload extends OpenUpload> {
  readonly log: EventLog;
  /** Uploads that have not ended, oldest first. */
  openUploads(max: number): Promise<readonly Upload[]>;
  /** Reads and validates an upload's file. */
  validate(upload: Upload): Promise<Validation>;
  /** Whether everything up to a position can be read from the facts. */
  factsHavePassed(position: bigint): Promise<boolean>;
  now(): Date;
}

type IngestOutcome = Validation | { readonly outcome: "given_up" };

/** Recorded for an upload that failed for technical reasons (contract/uploads.md#record). */
const internalError = [fault("file.internal_error", [])];
const maxOpen = 1_000;
/** When an upload fails for technical reasons (contract/uploads.md#record). */
const retry = { initialBackoffMs: 1_000, maxBackoffMs: 120_000, giveUp: { failures: 10, afterMs: 10 * minuteMs } };

/**
 * Validates the file of each upload and ingests its rows (contract/uploads.md#status). Uploads that replace each other's
 * rows are ingested in the order of their receipt, so that the later one wins.
 */
export function uploadIngest<Upload extends OpenUpload>(
  deps: UploadPipelineDeps<Upload>,
): Reactor<Upload, IngestOutcome> {
  const steps = uploadSteps(deps.log, deps.now);
  return {
    name: "uploads",
    role: "uploads",
    list: "control",
    adds: ({ type }) => type === "UploadReceived",
    open: async (max) => (await deps.openUploads(max)).filter(({ status }) => status !== "ingested"),
    keyOf: ({ requestId }) => requestId,
    laneOf: tableOf,
    since: ({ receivedAt }) => receivedAt,
    act: deps.validate,
    record: async ({ requestId }, outcome, { signal }) => {
      if (outcome.outcome !== "given_up") return steps.ingest(requestId, outcome, signal);
      await steps.giveUp(requestId, internalError);
      return true;
    },
    giveUp: () => ({ outcome: "given_up" }),
    retry,
    // The rows of each are in memory.
    limits: { maxConcurrent: 2, maxOpen },
  };
}

/** Records the end of each upload once reports can see its rows. */
export function uploadCompletion<Upload extends OpenUpload>(
  deps: UploadPipelineDeps<Upload>,
): Reactor<Upload & { readonly position: bigint }, "succeeded"> {
  const steps = uploadSteps(deps.log, deps.now);
  return {
    name: "upload_completion",
    role: "uploads",
    list: "control",
    adds: ({ type }) => type === "UploadIngested",
    open: async (max) => {
      const open = await deps.openUploads(max);
      return open.flatMap((upload) =>
        upload.status === "ingested" ? [{ ...upload, position: upload.ingestedPosition ?? 0n }] : [],
      );
    },
    keyOf: ({ requestId }) => requestId,
    since: ({ receivedAt }) => receivedAt,
    runnable: (uploads) => runnableAmong(uploads, { ...deps, hasUndecided: async () => false }),
    act: async () => "succeeded",
    record: async ({ requestId }) => {
      await steps.succeed(requestId);
      return true;
    },
    retry: { ...retry, giveUp: null },
    limits: { maxConcurrent: 16, maxOpen },
  };
}

/** Uploads of one app to one table replace each other's rows (contract/uploads.md#replacement). */
function tableOf({ appId, kind }: OpenUpload): string {
  return `${appId} ${uploadKinds[kind].table.name}`;
}
