import type { UploadKind, UploadReason } from "../../domain/uploads/events.ts";
import type { UploadState } from "../../domain/uploads/upload.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { StreamTooBusy } from "../handle-command.ts";
import { stagedChunks } from "./staged-chunks.ts";
import { openIngestedWriter, openUploadWriter, StreamMoved, type UploadWriter } from "./upload-writer.ts";
import type { Validation } from "./validate-upload.ts";

/** What a file was found to be. */
type Verdict = Validation<UploadKind>;

/** What the upload pipeline appends to an upload's stream. Each goes on where the stream ends. */
export interface UploadSteps {
  /**
   * Everything up to `UploadIngested`, or `UploadRejected`. False when `signal` has aborted before.
   * @param judge reads the file; asked only while its rows are needed
   */
  ingest(requestId: string, judge: () => Promise<Verdict>, signal: AbortSignal): Promise<boolean>;
  succeed(requestId: string): Promise<void>;
  /** Gives an upload up, unless its rows are in force: then only time is left. */
  giveUp(requestId: string, reason: UploadReason): Promise<void>;
}

/** The file is judged otherwise than when it was validated. */
export class VerdictChanged extends Error {
  override readonly name = "VerdictChanged";
}

/** So often a stream is read again after another writer was there. */
const mostAttempts = 8;

export function uploadSteps(log: EventLog, now: () => Date): UploadSteps {
  const instant = (): string => now().toISOString();

  /** Does `work` on an upload's stream, and again when another writer was there meanwhile. */
  const onStream = async <Result>(
    requestId: string,
    work: (writer: UploadWriter) => Promise<Result>,
    open = openUploadWriter,
  ): Promise<Result> => {
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      try {
        return await work(await open(log, requestId, now));
      } catch (failure) {
        if (!(failure instanceof StreamMoved)) throw failure;
      }
    }
    throw new StreamTooBusy(`Another writer won ${mostAttempts} times on upload ${requestId}`);
  };

  const validate = async (writer: UploadWriter, requestId: string, verdict: Verdict): Promise<void> => {
    if (verdict.outcome === "invalid") {
      const { reason } = verdict;
      await writer.record({ type: "RejectUpload", data: { requestId, reason, rejectedAt: instant() } });
    } else {
      const rows = verdict.rows.length;
      await writer.record({ type: "ValidateUpload", data: { requestId, rows, validatedAt: instant() } });
    }
  };

  const ingest = async (
    writer: UploadWriter,
    requestId: string,
    judge: () => Promise<Verdict>,
    signal: AbortSignal,
  ): Promise<boolean> => {
    if (!isToBeIngested(writer.state())) return true;
    const verdict = await judge();
    if (signal.aborted) return false;
    if (writer.state().stage === "Received") await validate(writer, requestId, verdict);
    const state = writer.state();
    if (state.stage !== "Validated") return true;
    if (verdict.outcome === "invalid" || verdict.rows.length !== state.rows) {
      throw new VerdictChanged(`Upload ${requestId} was accepted with ${state.rows} rows, and is not any more`);
    }
    const { appId, kind, staged } = state;
    for (const chunk of stagedChunks({ requestId, appId, kind }, verdict.rows, staged)) {
      await writer.record({ type: "StageRows", chunk });
      if (signal.aborted) return false;
    }
    await writer.record({ type: "IngestUpload", data: { requestId, ingestedAt: instant() } });
    return true;
  };

  return {
    ingest: (requestId, judge, signal) => onStream(requestId, (writer) => ingest(writer, requestId, judge, signal)),
    succeed: (requestId) => {
      const command = { type: "SucceedUpload", data: { requestId, succeededAt: instant() } } as const;
      return onStream(requestId, (writer) => writer.record(command), openIngestedWriter);
    },
    giveUp: (requestId, reason) =>
      onStream(requestId, async (writer) => {
        if (!isToBeIngested(writer.state())) return;
        await writer.record({ type: "FailUpload", data: { requestId, reason, failedAt: instant() } });
      }),
  };
}

function isToBeIngested({ stage }: UploadState): boolean {
  return stage === "Received" || stage === "Validated";
}
