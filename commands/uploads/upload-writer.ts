import { isRejection } from "../../domain/decider.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { uploadStream } from "../../domain/streams.ts";
import type { UploadEvent } from "../../domain/uploads/events.ts";
import { type UploadCommand, type UploadState, upload } from "../../domain/uploads/upload.ts";
import type { EventLog, ExpectedRevision } from "../../infra/event-log/event-log.ts";
import { derivedUuid } from "../derived-ids.ts";
import { eventMetadata } from "../metadata.ts";

/** An upload's stream, read once and then written at the revision that is known. */
export interface UploadWriter {
  /** What the stream says, with all that was written to it here. */
  state(): UploadState;
  /**
   * Decides and appends; what is so already is not appended.
   * @throws {StreamMoved} when another writer was there: nothing was appended, and this writer is of no more use
   * @throws {StepRefused} when the step does not come next
   */
  record(command: UploadCommand): Promise<void>;
}

/** Another writer has appended to the stream: it must be read again. */
export class StreamMoved extends Error {
  override readonly name = "StreamMoved";
}

/** The decider refused a step: a fault of ours. */
export class StepRefused extends Error {
  override readonly name = "StepRefused";
}

/** Reads an upload's stream for those who write on. */
export async function openUploadWriter(log: EventLog, requestId: string, now: () => Date): Promise<UploadWriter> {
  const end = emptyEnd();
  for await (const recorded of log.read(uploadStream(requestId))) takeIn(end, recorded);
  return writerAt(log, requestId, now, end);
}

/** The same for an upload that is ingested: its last event is all that matters then, whatever its rows are. */
export async function openIngestedWriter(log: EventLog, requestId: string, now: () => Date): Promise<UploadWriter> {
  const end = emptyEnd();
  for (const recorded of await log.readBackwards(uploadStream(requestId), 1)) takeIn(end, recorded);
  return writerAt(log, requestId, now, end);
}

/** Where a stream ends, and what it comes to. */
interface End {
  state: UploadState;
  revision: ExpectedRevision;
}

function emptyEnd(): End {
  return { state: upload.initialState, revision: "no_stream" };
}

function takeIn(end: End, recorded: RecordedEvent<UploadEvent>): void {
  end.state = upload.evolve(end.state, recorded);
  end.revision = recorded.revision;
}

function writerAt(log: EventLog, requestId: string, now: () => Date, end: End): UploadWriter {
  const stream = uploadStream(requestId);
  const append = async (event: UploadEvent): Promise<void> => {
    const metadata = eventMetadata(event.type, {
      actor: { kind: "reactor", name: "uploads" },
      requestId,
      occurredAt: now().toISOString(),
    });
    const appended = await log.append(stream, end.revision, [{ ...event, id: stepId(event), metadata }]);
    if (appended.outcome !== "appended") throw new StreamMoved(`Another writer was on ${stream}`);
    end.state = upload.evolve(end.state, event);
    end.revision = appended.revision;
  };

  return {
    state: () => end.state,
    record: async (command) => {
      const decision = upload.decide(command, end.state);
      if (isRejection(decision)) throw new StepRefused(`${command.type} was refused: ${decision.rejected}`);
      for (const event of decision) await append(event);
    },
  };
}

/** The same for the same step, so that an append whose outcome is unknown is repeated safely. */
function stepId(event: UploadEvent): string {
  const { requestId } = event.data;
  if (event.type !== "SpendRowsStaged" && event.type !== "MetricRowsStaged") return derivedUuid(requestId, event.type);
  const { rows } = event.data;
  return derivedUuid(requestId, event.type, rows[0]?.row ?? 0, rows.at(-1)?.row ?? 0);
}
