import shared from "@eventstore/db-client/generated/shared_pb.js";
import type streams from "@eventstore/db-client/generated/streams_pb.js";
import { status } from "@grpc/grpc-js";
import type { AppendRequest } from "./append-request.ts";
import { type Appended, AppendTooLarge, EventLogUnavailable, type WrongExpectedRevision } from "./event-log.ts";
import { type EventStoreConnection, toLogError } from "./eventstore-connection.ts";
import { uuidOfHalves } from "./protobuf.ts";

type AppendOutcome = Appended | WrongExpectedRevision;
type Connection = Pick<EventStoreConnection, "openAppends" | "deadlineMs">;

/** Sends appends. Rejects as `EventLog.append` does. */
interface Appends {
  send(request: AppendRequest): Promise<AppendOutcome>;
  /** Rejects what still waits, and whatever is sent from now on, with {@link EventLogUnavailable}. */
  close(): void;
}

interface OpenCall {
  readonly send: Appends["send"];
  /** Ends it, and rejects what still waits. */
  end(reason: EventLogUnavailable): void;
}

interface Waiting {
  readonly deadline: NodeJS.Timeout;
  resolve(outcome: AppendOutcome): void;
  reject(error: unknown): void;
}

const CLOSED = "the event log is closed";

/**
 * The appends of a process share one call, opened with the first and again after each failure: a call costs either side
 * a millisecond, a message of one a fraction of it. An append that is not answered within the connection's deadline, once
 * the call is open, ends the call for all, as nobody knows what became of it; so does a node that takes no appends.
 */
export function createAppends(connection: Connection): Appends {
  let current: Promise<OpenCall> | null = null;
  let isClosed = false;

  function open(): Promise<OpenCall> {
    const forget = (): void => {
      if (current === opening) current = null;
    };
    const opening = openCall(connection, forget);
    opening.catch(forget);
    return opening;
  }

  return {
    async send(request) {
      if (isClosed) throw new EventLogUnavailable(CLOSED);
      current ??= open();
      const call = await current;
      return call.send(request);
    },
    close() {
      isClosed = true;
      current?.then(
        (call) => call.end(new EventLogUnavailable(CLOSED)),
        () => {},
      );
    },
  };
}

async function openCall(connection: Connection, onOver: () => void): Promise<OpenCall> {
  const { deadlineMs } = connection;
  const call = await connection.openAppends();
  const waiting = new Map<string, Waiting>();
  let failure: Error | null = null;

  function over(reason: unknown): void {
    failure ??= toLogError(reason);
    onOver();
    for (const { reject, deadline } of waiting.values()) {
      clearTimeout(deadline);
      reject(failure);
    }
    waiting.clear();
  }

  function end(reason: EventLogUnavailable): void {
    over(reason);
    call.cancel();
  }

  /** Makes the client look for the leader before its next call, as it does when a server fails, not when we cancel. */
  function leaveNode(): void {
    const details = "this node of the event store takes no appends";
    call.destroy(Object.assign(new Error(details), { code: status.UNAVAILABLE, details }));
    end(new EventLogUnavailable(details));
  }

  const giveUp = (): void =>
    end(new EventLogUnavailable(`the event store did not answer an append in ${deadlineMs} ms`));

  call.on("data", (answer: streams.BatchAppendResp) => {
    const correlationId = textOf(answer.getCorrelationId());
    const asker = waiting.get(correlationId);
    if (asker === undefined) return;
    waiting.delete(correlationId);
    clearTimeout(asker.deadline);
    try {
      asker.resolve(outcomeOf(answer));
    } catch (error) {
      asker.reject(error);
      if (isOfNodeNotReady(answer)) leaveNode();
    }
  });
  call.on("error", over);
  call.on("end", () => {
    over(new EventLogUnavailable("the event store ended the call of our appends"));
    // Closing the connection waits for our half as well.
    call.end();
  });
  return {
    send: ({ correlationId, bytes }) =>
      new Promise((resolve, reject) => {
        if (failure !== null) {
          reject(failure);
          return;
        }
        waiting.set(correlationId, { resolve, reject, deadline: setTimeout(giveUp, deadlineMs) });
        call.write(bytes);
      }),
    end,
  };
}

/** A server may answer in either form, whichever was sent. */
function textOf(id: shared.UUID | undefined): string {
  const halves = id?.getStructured();
  if (halves === undefined) return id?.getString() ?? "";
  return uuidOfHalves(BigInt(halves.getMostSignificantBits()), BigInt(halves.getLeastSignificantBits()));
}

function outcomeOf(answer: streams.BatchAppendResp): AppendOutcome {
  const success = answer.getSuccess();
  if (success === undefined) return refusalOf(answer);
  const place = success.getPosition();
  if (!place) throw new Error("the event store acknowledged an append without a position");
  const position = { commit: BigInt(place.getCommitPosition()), prepare: BigInt(place.getPreparePosition()) };
  return { outcome: "appended", revision: BigInt(success.getCurrentRevision()), position };
}

/** A node that is not the leader, or not yet ready, answers each append with an error whose details are an `Empty`. */
function isOfNodeNotReady(answer: streams.BatchAppendResp): boolean {
  return answer.getError()?.getDetails()?.getTypeName() === "google.protobuf.Empty";
}

/** What a refused append says; throws what the port throws for everything but a wrong expected revision. */
function refusalOf(answer: streams.BatchAppendResp): WrongExpectedRevision {
  const error = answer.getError();
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
      throw new AppendTooLarge(message);
    case "event_store.client.StreamDeleted":
      throw Object.assign(new Error(message), { code: status.FAILED_PRECONDITION });
    case "event_store.client.AccessDenied":
      throw Object.assign(new Error(message), { code: status.PERMISSION_DENIED });
    case "event_store.client.BadRequest":
      throw Object.assign(new Error(message), { code: status.INVALID_ARGUMENT });
    default:
      throw new EventLogUnavailable(message);
  }
}
