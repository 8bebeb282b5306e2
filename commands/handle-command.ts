import { setTimeout as pause } from "node:timers/promises";
import { type Decider, isRejection, type Rejection } from "../domain/decider.ts";
import type { LogPosition } from "../domain/event.ts";
import type { Category, EventsByCategory } from "../domain/event-catalogue.ts";
import type { StreamName } from "../domain/streams.ts";
import type { EventLog, ExpectedRevision } from "../infra/event-log/event-log.ts";
import { derivedUuid } from "./derived-ids.ts";
import { type Cause, eventMetadata } from "./metadata.ts";

/** Conflicts are retried so often; then the stream is busier than a command can win on. */
const mostAttempts = 8;
/** Milliseconds; doubled by every conflict. */
const shortestPause = 20;

export interface Handled<State> {
  readonly outcome: "handled";
  /** The stream's state with what was decided. */
  readonly state: State;
  /** Position of the last event of this command; null when nothing had to be decided on an empty stream. */
  readonly position: LogPosition | null;
}

export type HandledOrRejected<State, Code extends string> =
  | Handled<State>
  | { readonly outcome: "rejected"; readonly rejection: Rejection<Code> };

/**
 * Reads a stream, folds it, decides and appends at the revision read. A stream that already holds events of this
 * command id answers with them: repeating a command is safe. Conflicts are read and decided anew, a bounded number of
 * times, after pauses of chance lengths: writers in step would all meet again.
 *
 * `startsStream`: most likely nobody has written to the stream yet. A request that cannot have come before, as its
 * command id is its own fresh id, then appends without reading first.
 */
export async function handleCommand<In extends Category, Command, State, Code extends string>(
  log: EventLog,
  decider: Decider<Command, EventsByCategory[In], State, Code>,
  stream: StreamName<In>,
  commandId: string,
  command: Command,
  cause: Cause,
  { startsStream = false }: { readonly startsStream?: boolean } = {},
): Promise<HandledOrRejected<State, Code>> {
  const firstEventId = derivedUuid(commandId, 0);
  const readsFirst = !startsStream || commandId !== cause.requestId;
  for (let attempt = readsFirst ? 0 : -1; attempt < mostAttempts; attempt += 1) {
    let state = decider.initialState;
    let expected: ExpectedRevision = "no_stream";
    let position: LogPosition | null = null;
    let alreadyDone = false;
    for await (const recorded of attempt < 0 ? [] : log.read(stream)) {
      state = decider.evolve(state, recorded);
      expected = recorded.revision;
      position = recorded.position;
      alreadyDone ||= recorded.id === firstEventId;
    }
    if (alreadyDone) return { outcome: "handled", state, position };

    const decision = decider.decide(command, state);
    if (isRejection(decision)) return { outcome: "rejected", rejection: decision };
    if (decision.length === 0) return { outcome: "handled", state, position };

    const appended = await log.append(
      stream,
      expected,
      decision.map((event, index) => ({
        id: derivedUuid(commandId, index),
        type: event.type,
        data: event.data,
        metadata: eventMetadata(event.type, cause),
      })),
    );
    if (appended.outcome === "appended") {
      return { outcome: "handled", state: decision.reduce(decider.evolve, state), position: appended.position };
    }
    if (attempt >= 0) await pause(Math.random() * shortestPause * 2 ** attempt);
  }
  throw new StreamTooBusy(`Another writer won ${mostAttempts} times on ${stream}`);
}

/** Every attempt met another writer: the caller may try again. */
export class StreamTooBusy extends Error {
  override readonly name = "StreamTooBusy";
}
