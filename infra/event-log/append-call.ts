import shared from "@eventstore/db-client/generated/shared_pb.js";
import type streams from "@eventstore/db-client/generated/streams_pb.js";
import { status } from "@grpc/grpc-js";
import type { AppendRequest } from "./append-request.ts";
import { type Appended, AppendTooLarge, EventLogUnavailable, type WrongExpectedRevision } from "./event-log.ts";
import { type EventStoreConnection, inTime, toLogError } from "./eventstore-connection.ts";

type AppendOutcome = Appended | WrongExpectedRevision;

/** Sends appends. Rejects as `EventLog.append` does. */
export type SendAppend = (request: AppendRequest) => Promise<AppendOutcome>;

interface Waiting {
  resolve(outcome: AppendOutcome): void;
  reject(error: unknown): void;
}

interface OpenCall {
  readonly send: SendAppend;
  /** Gives up whatever still waits for its answer. */
  end(): void;
}

/**
 * The appends of a process share one call, opened with the first and again after each failure: a call costs either side
 * a millisecond, a message of one a fraction of it. An append that is not answered within the connection's deadline ends
 * the call, as nobody knows what became of it.
 */
export function createAppends(connection: Pick<EventStoreConnection, "append" | "deadlineMs">): SendAppend {
  let current: Promise<OpenCall> | null = null;

  function open(): Promise<OpenCall> {
    const opening = openCall(connection, () => {
      if (current === opening) current = null;
    });
    opening.catch(() => {
      if (current === opening) current = null;
    });
    return opening;
  }

  return async (request) => {
    current ??= open();
    const call = await current;
    return inTime(call.send(request), connection.deadlineMs).catch((error) => {
      if (error instanceof EventLogUnavailable) call.end();
      throw error;
    });
  };
}

async function openCall(connection: Pick<EventStoreConnection, "append">, onOver: () => void): Promise<OpenCall> {
  const call = await connection.append();
  const waiting = new Map<string, Waiting>();
  let failure: Error | null = null;

  function over(reason: unknown): void {
    failure ??= toLogError(reason);
    onOver();
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  }

  call.on("data", (answer: streams.BatchAppendResp) => {
    const correlationId = answer.getCorrelationId()?.getString() ?? "";
    const asker = waiting.get(correlationId);
    waiting.delete(correlationId);
    try {
      asker?.resolve(outcomeOf(answer));
    } catch (error) {
      asker?.reject(error);
    }
  });
  call.on("error", over);
  call.on("end", () => over(new EventLogUnavailable("the event store ended the call of our appends")));
  return {
    send: ({ correlationId, bytes }) =>
      new Promise((resolve, reject) => {
        if (failure !== null) {
          reject(failure);
          return;
        }
        waiting.set(correlationId, { resolve, reject });
        call.write(bytes);
      }),
    end() {
      over(new EventLogUnavailable("another append was not answered in time"));
      call.cancel();
    },
  };
}

function outcomeOf(answer: streams.BatchAppendResp): AppendOutcome {
  const success = answer.getSuccess();
  if (success === undefined) return refusalOf(answer);
  const place = success.getPosition();
  if (!place) throw new Error("the event store acknowledged an append without a position");
  const position = { commit: BigInt(place.getCommitPosition()), prepare: BigInt(place.getPreparePosition()) };
  return { outcome: "appended", revision: BigInt(success.getCurrentRevision()), position };
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
