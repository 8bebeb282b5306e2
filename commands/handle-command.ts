import { setTimeout as pause } from "node:timers/promises";
import { backoffMs } from "../domain/backoff.ts";
import { type Decider, isRejection, type Rejection } from "../domain/decider.ts";
import type { LogPosition } from "../domain/event.ts";
import type { Category, EventsByCategory, RecordedEvent } from "../domain/event-catalogue.ts";
import type { StreamName } from "../domain/streams.ts";
import { readTraceContext } from "../domain/values/trace-context.ts";
import type { EventLog, ExpectedRevision } from "../infra/event-log/event-log.ts";
import { inSpan } from "../infra/tracing/span.ts";
import { derivedUuid } from "./derived-ids.ts";
import { type Cause, eventMetadata } from "./event-metadata.ts";
import { createKeyedMutex, type KeyedMutex } from "./mutex.ts";
import { requireReadable } from "./readable-event.ts";

/** Attempts until a stream with this many conflicts counts as too busy. */
const maxAttempts = 16;
/** The first attempts follow at once: one that pauses loses to each command that another process has waiting. */
const promptAttempts = 8;
const initialBackoffMs = 20;
const maxBackoffMs = 2_560;
/** When no command on a stream ends for this long, those that wait go on beside it: it may wait for a store that is away. */
const maxStallMs = 2_000;

export interface Handled<State> {
  readonly outcome: "handled";
  /** The stream's state after the decided events; for a repeated command also after later ones. */
  readonly state: State;
  /** Position of the last event of this command; for one without events that of the stream, null if that is empty. */
  readonly position: LogPosition | null;
}

export type HandledOrRejected<State, Code extends string> =
  | Handled<State>
  | { readonly outcome: "rejected"; readonly rejection: Rejection<Code> };

export interface CommandOptions<Event extends EventsByCategory[Category]> {
  /** Whether the stream is probably empty (default no). */
  readonly startsStream?: boolean;
  /** Whether the command follows from an event of the stream, whose trace its events then continue. */
  follows?(event: RecordedEvent<Event>): boolean;
}

/**
 * Reads a stream, folds it, decides and appends at the revision read. If the stream already holds events of this
 * command id, nothing is appended: retrying a command is safe. Commands of one process on one stream run one after the
 * other. A conflict, with a writer of another process, is retried at once, and after several with a random backoff, so
 * that the two do not collide again; throws {@link StreamTooBusy} after a bounded number of attempts, and
 * {@link EventUnreadable} when nothing may be decided from the stream.
 *
 * If the stream is probably empty, and the command id is the request's own fresh id, so that it cannot be a retry, the
 * first attempt appends without reading.
 */
export function handleCommand<In extends Category, Command, State, Code extends string>(
  log: EventLog,
  decider: Decider<Command, EventsByCategory[In], State, Code>,
  stream: StreamName<In>,
  commandId: string,
  command: Command,
  cause: Cause,
  options: CommandOptions<EventsByCategory[In]> = {},
): Promise<HandledOrRejected<State, Code>> {
  const settings = () => ({ attributes: { "touchledger.stream": stream } });
  const [category] = stream.split("-", 1);
  return inSpan(`command ${category}`, cause.trace, settings, (trace) =>
    mutexOf(log)(stream, () => handle(log, decider, stream, commandId, command, { ...cause, trace }, options)),
  );
}

const mutexes = new WeakMap<EventLog, KeyedMutex>();

function mutexOf(log: EventLog): KeyedMutex {
  const mutex = mutexes.get(log) ?? createKeyedMutex(maxStallMs);
  mutexes.set(log, mutex);
  return mutex;
}

async function handle<In extends Category, Command, State, Code extends string>(
  log: EventLog,
  decider: Decider<Command, EventsByCategory[In], State, Code>,
  stream: StreamName<In>,
  commandId: string,
  command: Command,
  cause: Cause,
  { startsStream = false, follows = () => false }: CommandOptions<EventsByCategory[In]>,
): Promise<HandledOrRejected<State, Code>> {
  const readsFirst = !startsStream || commandId !== cause.requestId;
  for (let attempt = readsFirst ? 0 : -1; attempt < maxAttempts; attempt += 1) {
    let state = decider.initialState;
    let expected: ExpectedRevision = "no_stream";
    let position: LogPosition | null = null;
    let donePosition: LogPosition | null = null;
    let nextEventId = derivedUuid(commandId, 0);
    let doneEvents = 0;
    let trace = cause.trace;
    for await (const recorded of attempt < 0 ? [] : log.read(stream)) {
      requireReadable(recorded);
      state = decider.evolve(state, recorded);
      expected = recorded.revision;
      position = recorded.position;
      if (follows(recorded)) trace = readTraceContext(recorded.metadata);
      if (recorded.id === nextEventId) {
        donePosition = recorded.position;
        doneEvents += 1;
        nextEventId = derivedUuid(commandId, doneEvents);
      }
    }
    if (donePosition !== null) return { outcome: "handled", state, position: donePosition };

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
        metadata: eventMetadata(event.type, { ...cause, trace }),
      })),
    );
    if (appended.outcome === "appended") {
      return { outcome: "handled", state: decision.reduce(decider.evolve, state), position: appended.position };
    }
    const pauses = attempt - promptAttempts + 1;
    if (pauses > 0) await pause(Math.random() * backoffMs(pauses, initialBackoffMs, maxBackoffMs));
  }
  throw new StreamTooBusy(`Another writer won ${maxAttempts} times on ${stream}`);
}

/** Every attempt conflicted with another writer; the caller may retry. */
export class StreamTooBusy extends Error {
  override readonly name = "StreamTooBusy";
}
