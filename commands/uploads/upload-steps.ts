import { isDeepStrictEqual } from "node:util";
import { isRejection } from "../../domain/decider.ts";
import type { Fault } from "../../domain/fault.ts";
import { uploadStream } from "../../domain/streams.ts";
import type { UploadEvent } from "../../domain/uploads/events.ts";
import { type UploadCommand, type UploadState, upload } from "../../domain/uploads/upload.ts";
import { isRowsStaged } from "../../domain/uploads/upload-kinds.ts";
import { readTraceContext, type TraceContext } from "../../domain/values/trace-context.ts";
import type { EventLog, ExpectedRevision } from "../../infra/event-log/event-log.ts";
import { derivedUuid } from "../derived-ids.ts";
import { eventMetadata } from "../event-metadata.ts";
import { StreamTooBusy } from "../handle-command.ts";
import { requireReadable } from "../readable-event.ts";
import { stagedChunks } from "./staged-chunks.ts";
import type { Validation } from "./validate-upload.ts";

/** Appends the steps of an upload to its stream. Each continues where the stream ends. */
export interface UploadSteps {
  /** Appends everything up to `UploadIngested`, or `UploadRejected`. False when `signal` has aborted before. */
  ingest(requestId: string, validation: Validation, signal: AbortSignal): Promise<boolean>;
  succeed(requestId: string): Promise<void>;
  /** Fails an upload, unless its rows are in force. */
  giveUp(requestId: string, faults: readonly Fault[]): Promise<void>;
}

/** The file of an accepted upload has other rows, channels, or faults than when it was accepted. */
class ValidationChanged extends Error {
  override readonly name = "ValidationChanged";
}

/** The decider refused a step: a bug. */
class StepRefused extends Error {
  override readonly name = "StepRefused";
}

/** Another writer has appended to the stream: it must be read again. */
class StreamMoved extends Error {
  override readonly name = "StreamMoved";
}

/** Maximum reads of a stream while other writers append to it. */
const maxAttempts = 8;

/**
 * Every step reads the stream, and again when another writer has appended to it; after 8 times it rejects with
 * `StreamTooBusy`.
 * @param now dates the events
 */
export function uploadSteps(log: EventLog, now: () => Date): UploadSteps {
  const instant = (): string => now().toISOString();

  const ingest = async (
    stream: OpenStream,
    requestId: string,
    validation: Validation,
    signal: AbortSignal,
  ): Promise<boolean> => {
    if (signal.aborted) return false;
    if (stream.state().stage === "received") await stream.record(outcomeCommand(requestId, validation, instant()));
    const state = stream.state();
    if (state.stage !== "validated") return true;
    if (validation.outcome === "invalid" || validation.rows.length !== state.rows) {
      throw new ValidationChanged(`Upload ${requestId} was accepted with ${state.rows} rows, and is no longer valid`);
    }
    const { appId, kind, channels, staged } = state;
    // Another process has accepted it with the channels of another moment.
    if (channels !== null && !isDeepStrictEqual(channels, validation.channels)) {
      throw new ValidationChanged(`Upload ${requestId} was accepted with other channels`);
    }
    for (const chunk of stagedChunks({ requestId, appId, kind }, validation.rows, staged)) {
      await stream.record({ type: "StageRows", chunk });
      if (signal.aborted) return false;
    }
    await stream.record({ type: "IngestUpload", data: { requestId, ingestedAt: instant() } });
    return true;
  };

  const giveUp = async (stream: OpenStream, requestId: string, faults: readonly Fault[]): Promise<void> => {
    const { stage } = stream.state();
    if (stage !== "received" && stage !== "validated") return;
    await stream.record({ type: "FailUpload", data: { requestId, faults, failedAt: instant() } });
  };

  /** Reads an upload's stream for `work`, again after every append of another writer. */
  const onStream = async <Result>(
    requestId: string,
    work: (stream: OpenStream) => Promise<Result>,
    events: "all events" | "last event" = "all events",
  ): Promise<Result> => {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      try {
        return await work(await openStream(log, requestId, events, instant));
      } catch (failure) {
        if (!(failure instanceof StreamMoved)) throw failure;
      }
    }
    throw new StreamTooBusy(`Another writer won ${maxAttempts} times on upload ${requestId}`);
  };

  return {
    ingest: (requestId, validation, signal) =>
      onStream(requestId, (stream) => ingest(stream, requestId, validation, signal)),
    succeed: (requestId) => {
      const command = { type: "SucceedUpload", data: { requestId, succeededAt: instant() } } as const;
      // The last event of an ingested upload determines its state.
      return onStream(requestId, (stream) => stream.record(command), "last event");
    },
    giveUp: (requestId, faults) => onStream(requestId, (stream) => giveUp(stream, requestId, faults)),
  };
}

function outcomeCommand(requestId: string, validation: Validation, at: string): UploadCommand {
  if (validation.outcome === "valid") {
    const { rows, channels } = validation;
    return { type: "ValidateUpload", data: { requestId, rows: rows.length, channels, validatedAt: at } };
  }
  return { type: "RejectUpload", data: { requestId, faults: validation.faults, rejectedAt: at } };
}

/** An upload's stream, read once and then appended to at the known revision. */
interface OpenStream {
  state(): UploadState;
  /**
   * Decides and appends; a repeated step appends nothing.
   * @throws {StreamMoved} when another writer has appended: nothing was appended, and the stream must be opened again
   * @throws {StepRefused}
   */
  record(command: UploadCommand): Promise<void>;
}

async function openStream(
  log: EventLog,
  requestId: string,
  events: "all events" | "last event",
  instant: () => string,
): Promise<OpenStream> {
  const name = uploadStream(requestId);
  let state = upload.initialState;
  let revision: ExpectedRevision = "no_stream";
  let trace: TraceContext | undefined;
  for await (const recorded of events === "all events" ? log.read(name) : await log.readBackwards(name, 1)) {
    requireReadable(recorded);
    state = upload.evolve(state, recorded);
    revision = recorded.revision;
    trace = readTraceContext(recorded.metadata);
  }

  const append = async (event: UploadEvent): Promise<void> => {
    const actor = { kind: "reactor", name: "uploads" } as const;
    const metadata = eventMetadata(event.type, { actor, requestId, occurredAt: instant(), trace });
    const appended = await log.append(name, revision, [{ ...event, id: stepId(event), metadata }]);
    if (appended.outcome !== "appended") throw new StreamMoved(`Another writer has appended to ${name}`);
    state = upload.evolve(state, event);
    revision = appended.revision;
  };

  return {
    state: () => state,
    record: async (command) => {
      const decision = upload.decide(command, state);
      if (isRejection(decision)) throw new StepRefused(`${command.type} was rejected: ${decision.rejected}`);
      for (const event of decision) await append(event);
    },
  };
}

/** The id of a step's event: the same for the same step, so that an append of unknown outcome can be repeated. */
function stepId(event: UploadEvent): string {
  const { requestId } = event.data;
  if (!isRowsStaged(event)) return derivedUuid(requestId, event.type);
  const { rows } = event.data;
  return derivedUuid(requestId, event.type, rows[0]?.row ?? 0, rows.at(-1)?.row ?? 0);
}
