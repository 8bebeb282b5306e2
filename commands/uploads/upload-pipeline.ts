import { setTimeout as delay } from "node:timers/promises";
import { fault } from "../../domain/fault.ts";
import type { UploadKind } from "../../domain/uploads/events.ts";
import { uploadKinds } from "../../domain/uploads/upload-kinds.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { type Faults, isGivenUp, oneMoreFault } from "../reactors/retry-policy.ts";
import { createBell } from "../reactors/wake-signal.ts";
import { uploadSteps } from "./upload-steps.ts";
import type { Validation } from "./validate-upload.ts";

/** An upload of the to-do list. */
export interface OpenUpload {
  readonly requestId: string;
  readonly appId: number;
  readonly kind: UploadKind;
  /** As its record names it; of an open one `uploaded`, `validated` or `ingested`. */
  readonly status: string;
  /** Log position from which its rows are in force; null until then. */
  readonly ingestedPosition: bigint | null;
}

export interface UploadPipelineDeps<Upload extends OpenUpload> {
  readonly log: EventLog;
  /** Uploads that have not ended, oldest first. */
  openUploads(most: number): Promise<readonly Upload[]>;
  /** Reads an upload's file and judges it. */
  judge(upload: Upload): Promise<Validation>;
  /** Whether everything up to a position can be read from the facts. */
  factsHavePassed(position: bigint): Promise<boolean>;
  /** Calls `listener` whenever there may be more to do; what it answers takes it off again. */
  onProgress(listener: () => void): () => void;
  /** Told of what went wrong; the pipeline goes on. `requestId` is null when it was not about one upload. */
  failed(failure: unknown, requestId: string | null): void;
  now(): Date;
}

/** Files that are read, judged and staged at the same time: what bounds the memory. */
const mostAtOnce = 2;
/** Uploads that anything is done about at the same time. */
const mostUnderWay = 16;
/** Rows of the to-do list that are looked at in one round. */
const mostInSight = 1_000;
/** The list is looked at so often when nobody rings, as when another process projects. */
const lookEveryMs = 500;
const afterFailureMs = 1_000;
/** What is still under way after that is left to the next pipeline. */
const stopWithinMs = 2_000;
/** The reason of an upload that a technical fault ended (contract/uploads.md#record). */
const internalError = [fault("file.internal_error", [])];

/**
 * The upload pipeline: a reactor over the to-do list of uploads. It brings each from its file to rows in the log, and
 * records its end once reports can see them (contract/uploads.md#status). It remembers nothing that must be kept:
 * killed anywhere, the next one goes on where an upload's stream ends. Resolves once `signal` has aborted.
 */
export async function runUploads<Upload extends OpenUpload>(
  deps: UploadPipelineDeps<Upload>,
  signal: AbortSignal,
): Promise<void> {
  const steps = uploadSteps(deps.log, deps.now);
  const bell = createBell(signal);
  const stopListening = deps.onProgress(bell.ring);
  const now = (): number => deps.now().getTime();
  /** What is under way. Uploads that replace each other's rows take turns, so that the later one prevails. */
  const running = new Map<string, { readonly turn: string | null; readonly over: Promise<void> }>();
  const faults = new Map<string, Faults>();
  /** Taken that far here, which the to-do list may not show yet. */
  const ingested = new Set<string>();
  const ended = new Set<string>();

  const failOnce = async ({ requestId }: Upload, failure: unknown): Promise<void> => {
    deps.failed(failure, requestId);
    const known = oneMoreFault(faults.get(requestId), now());
    faults.set(requestId, known);
    if (isGivenUp(known, now())) await steps.giveUp(requestId, internalError);
  };
  const start = (upload: Upload, turn: string | null, work: Promise<void>): void => {
    const { requestId } = upload;
    const over = work
      .catch((failure: unknown) => failOnce(upload, failure))
      .catch((failure: unknown) => deps.failed(failure, requestId))
      .finally(() => {
        running.delete(requestId);
        bell.ring();
      });
    running.set(requestId, { turn, over });
  };
  const ingest = async (upload: Upload): Promise<void> => {
    const isOver = await steps.ingest(upload.requestId, () => deps.judge(upload), signal);
    if (isOver) ingested.add(upload.requestId);
  };
  const succeed = async ({ requestId }: Upload): Promise<void> => {
    await steps.succeed(requestId);
    ended.add(requestId);
  };

  const startIngesting = (uploads: readonly Upload[]): void => {
    const turns = new Set([...running.values()].flatMap(({ turn }) => turn ?? []));
    for (const upload of uploads) {
      if (turns.size >= mostAtOnce) return;
      const turn = turnOf(upload);
      if (turns.has(turn) || ingested.has(upload.requestId)) continue;
      turns.add(turn);
      start(upload, turn, ingest(upload));
    }
  };
  const startSucceeding = async (uploads: readonly Upload[]): Promise<void> => {
    for (const upload of [...uploads].sort(byIngestedPosition)) {
      if (running.size >= mostUnderWay) return;
      if (!(await deps.factsHavePassed(upload.ingestedPosition ?? 0n))) return;
      start(upload, null, succeed(upload));
    }
  };
  const round = async (): Promise<void> => {
    const open = await deps.openUploads(mostInSight);
    forgetAllBut(open, [faults, ingested, ended]);
    const isIdle = ({ requestId }: Upload): boolean =>
      !running.has(requestId) && !ended.has(requestId) && (faults.get(requestId)?.until ?? 0) <= now();
    const idle = open.filter(isIdle);
    startIngesting(idle.filter(({ status }) => status !== "ingested"));
    await startSucceeding(idle.filter(({ status }) => status === "ingested"));
  };

  while (!signal.aborted) {
    try {
      await round();
      await bell.rung(lookEveryMs);
    } catch (failure) {
      deps.failed(failure, null);
      await bell.silence(afterFailureMs);
    }
  }
  stopListening();
  const stillRunning = [...running.values()].map(({ over }) => over);
  await Promise.race([Promise.all(stillRunning), delay(stopWithinMs)]);
}

/** Uploads of one app to one table take turns (contract/uploads.md#replacement). */
function turnOf({ appId, kind }: OpenUpload): string {
  return `${appId} ${uploadKinds[kind].table.name}`;
}

function byIngestedPosition(one: OpenUpload, other: OpenUpload): number {
  return (one.ingestedPosition ?? 0n) < (other.ingestedPosition ?? 0n) ? -1 : 1;
}

/** What is not open any more need not be remembered. */
function forgetAllBut(
  open: readonly OpenUpload[],
  remembered: readonly { keys(): Iterable<string>; delete(requestId: string): boolean }[],
): void {
  const isOpen = new Set(open.map(({ requestId }) => requestId));
  for (const memory of remembered)
    for (const requestId of [...memory.keys()]) if (!isOpen.has(requestId)) memory.delete(requestId);
}
