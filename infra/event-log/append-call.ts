import shared from "@eventstore/db-client/generated/shared_pb.js";
import type streams from "@eventstore/db-client/generated/streams_pb.js";
import { status } from "@grpc/grpc-js";
import type { AppendRequest } from "./append-request.ts";
import {
  type Appended,
  AppendTooLarge,
  EventLogRefused,
  EventLogUnavailable,
  type WrongExpectedRevision,
} from "./event-log.ts";
import { type EventStoreConnection, toLogError } from "./eventstore-connection.ts";
import { uuidOfHalves } from "./protobuf.ts";

type AppendOutcome = Appended | WrongExpectedRevision;
type Connection = Pick<EventStoreConnection, "openAppends" | "deadlineMs" | "received" | "leave" | "leaveIfSilent">;

/** The sender of appends. Rejects as `EventLog.append` does. */
interface Appends {
  send(request: AppendRequest): Promise<AppendOutcome>;
  /** Rejects pending and later appends with {@link EventLogUnavailable}. */
  close(): void;
}

interface OpenCall {
  readonly send: Appends["send"];
  /** Ends the call and rejects pending appends. */
  end(reason: EventLogUnavailable): void;
}

interface Waiting {
  readonly bytes: Buffer;
  isRepeated: boolean;
  readonly deadline: NodeJS.Timeout;
  resolve(outcome: AppendOutcome): void;
  reject(error: unknown): void;
}

const closedMessage = "the event log is closed";

/**
 * The appends of a process share one call, opened with the first append and again after each failure: opening a call costs
 * client and server a millisecond each, a message a fraction of that. An append without a response within the deadline
 * ends the call for all pending appends, as their outcome is unknown; so does a node that does not accept appends. The
 * next append goes to the leader that the cluster has by then. An append that was repeated ends alone: its node responds.
 */
export function createAppends(connection: Connection): Appends {
  let current: Promise<OpenCall> | null = null;
  let isClosed = false;

  function open(): Promise<OpenCall> {
    const discard = (): void => {
      if (current === opening) current = null;
    };
    const opening = openCall(connection, discard);
    opening.catch(discard);
    return opening;
  }

  return {
    async send(request) {
      if (isClosed) throw new EventLogUnavailable(closedMessage);
      current ??= open();
      const call = await current;
      return call.send(request);
    },
    close() {
      isClosed = true;
      current?.then(
        (call) => call.end(new EventLogUnavailable(closedMessage)),
        () => {},
      );
    },
  };
}

async function openCall(connection: Connection, onEnd: () => void): Promise<OpenCall> {
  const { deadlineMs } = connection;
  const call = await connection.openAppends();
  const waiting = new Map<string, Waiting>();
  let failure: Error | null = null;

  function finish(reason: unknown): void {
    failure ??= toLogError(reason);
    onEnd();
    if (isMessageTooLarge(reason)) rejectLargest(new AppendTooLarge(failure.message, { cause: reason }));
    for (const { reject, deadline } of waiting.values()) {
      clearTimeout(deadline);
      reject(failure);
    }
    waiting.clear();
  }

  /** A server that refuses a message ends the call for all, and does not name the one: none in flight is larger. */
  function rejectLargest(refusal: AppendTooLarge): void {
    const bySize = [...waiting].sort(([, one], [, other]) => other.bytes.length - one.bytes.length);
    for (const [correlationId, { reject, deadline }] of bySize.slice(0, 1)) {
      waiting.delete(correlationId);
      clearTimeout(deadline);
      reject(refusal);
    }
  }

  function end(reason: EventLogUnavailable): void {
    finish(reason);
    call.cancel();
  }

  function leaveNode(reason: EventLogUnavailable): void {
    finish(reason);
    connection.leave(call, reason);
  }

  function timeOut(correlationId: string, receivedBefore: number): void {
    const reason = new EventLogUnavailable(`the event store did not respond to an append in ${deadlineMs} ms`);
    const late = waiting.get(correlationId);
    if (late?.isRepeated) {
      waiting.delete(correlationId);
      late.reject(reason);
      return;
    }
    leaveNode(reason);
    connection.leaveIfSilent(receivedBefore);
  }

  call.on("data", (response: streams.BatchAppendResp) => {
    const correlationId = textOf(response.getCorrelationId());
    const pending = waiting.get(correlationId);
    if (pending === undefined) return;
    if (isTimeout(response) && !pending.isRepeated) {
      pending.isRepeated = true;
      call.write(pending.bytes);
      return;
    }
    waiting.delete(correlationId);
    clearTimeout(pending.deadline);
    try {
      pending.resolve(outcomeOf(response));
    } catch (error) {
      pending.reject(error);
      if (isNodeNotReady(response)) {
        leaveNode(new EventLogUnavailable("this node of the event store does not accept appends"));
      }
    }
  });
  call.on("error", finish);
  call.on("end", () => {
    finish(new EventLogUnavailable("the event store ended the call of our appends"));
    // Closing the connection waits until the client has ended the call too.
    call.end();
  });
  return {
    send: ({ correlationId, bytes }) =>
      new Promise((resolve, reject) => {
        if (failure !== null) {
          reject(failure);
          return;
        }
        const deadline = setTimeout(timeOut, deadlineMs, correlationId, connection.received);
        waiting.set(correlationId, { bytes, isRepeated: false, resolve, reject, deadline });
        call.write(bytes);
      }),
    end,
  };
}

/** As gRPC refuses a message above the limit of the receiver; the same status stands for a full disk or a busy server. */
function isMessageTooLarge(error: unknown): boolean {
  if (!(error instanceof Error && "code" in error && error.code === status.RESOURCE_EXHAUSTED)) return false;
  return /message .*(larger than|exceeds the maximum)/i.test(error.message);
}

/** Servers respond with either form of a UUID, whichever was sent. */
function textOf(id: shared.UUID | undefined): string {
  const halves = id?.getStructured();
  if (halves === undefined) return id?.getString() ?? "";
  return uuidOfHalves(BigInt(halves.getMostSignificantBits()), BigInt(halves.getLeastSignificantBits()));
}

function outcomeOf(response: streams.BatchAppendResp): AppendOutcome {
  const success = response.getSuccess();
  if (success === undefined) return refusalOf(response);
  const place = success.getPosition();
  if (!place) throw new Error("the event store acknowledged an append without a position");
  const position = { commit: BigInt(place.getCommitPosition()), prepare: BigInt(place.getPreparePosition()) };
  return { outcome: "appended", revision: BigInt(success.getCurrentRevision()), position };
}

/** A node that is not the leader, or not ready, responds to each append with an error whose details are an `Empty`. */
function isNodeNotReady(response: streams.BatchAppendResp): boolean {
  return response.getError()?.getDetails()?.getTypeName() === "google.protobuf.Empty";
}

/**
 * A cluster drops an append whose event ids another one is writing, and responds with a timeout 2 s later: repeated, it gets
 * the outcome of the other.
 */
function isTimeout(response: streams.BatchAppendResp): boolean {
  return response.getError()?.getDetails()?.getTypeName() === "event_store.client.Timeout";
}

/** The outcome of a refused append; throws the port's error for everything but a wrong expected revision. */
function refusalOf(response: streams.BatchAppendResp): WrongExpectedRevision {
  const error = response.getError();
  const details = error?.getDetails();
  const wrong = details?.unpack(
    shared.WrongExpectedVersion.deserializeBinary,
    "event_store.client.WrongExpectedVersion",
  );
  if (wrong) {
    const actual = wrong.hasCurrentStreamRevision() ? BigInt(wrong.getCurrentStreamRevision()) : null;
    return { outcome: "wrong_expected_revision", actual };
  }
  const message = `${details?.getTypeName() ?? "no details"}: ${error?.getMessage() ?? "no message"}`;
  switch (details?.getTypeName()) {
    case "event_store.client.MaximumAppendSizeExceeded":
    case "event_store.client.MaximumAppendEventSizeExceeded":
      throw new AppendTooLarge(message);
    case "event_store.client.StreamDeleted":
      throw Object.assign(new Error(message), { code: status.FAILED_PRECONDITION });
    case "event_store.client.AccessDenied":
      throw new EventLogRefused(message);
    case "event_store.client.BadRequest":
      throw Object.assign(new Error(message), { code: status.INVALID_ARGUMENT });
    default:
      throw new EventLogUnavailable(message);
  }
}
