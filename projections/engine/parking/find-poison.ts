import type { Knex } from "knex";
import { isUndecodable } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { Projection, SchemaName } from "../../projection.ts";
import { ApplyFailed } from "./apply-failure.ts";

/** SQLSTATE classes of data that cannot be stored: retrying does not help. */
const poisonClasses = ["22", "23"];

const infrastructureNames = ["Fenced", "KnexTimeoutError", "AbortError", "TimeoutError"];
const infrastructureMessages =
  /connection|client (was|has|is)|not queryable|timeout|timed out|transaction|socket|pool|aborted/i;
/** Node's codes for invalid arguments; its other codes are about sockets, files and streams. */
const argumentCodes = /^ERR_(INVALID_|OUT_OF_RANGE)/;

/** An event that cannot be applied: it fails a rebuild or a verification. */
export class PoisonEvent extends Error {
  override readonly name = "PoisonEvent";
  readonly projection: string;
  readonly event: RecordedEvent;
  readonly reason: string;
  constructor(projection: string, event: RecordedEvent, reason: string) {
    super(
      `Projection ${projection} cannot apply ${event.type} at position ${event.position.commit} ` +
        `(stream ${event.stream}, event ${event.id}): ${reason}. If it is parked (\`touchledger projection parked\`), ` +
        "retry or skip it first; while the read model has no live generation, it can only be skipped.",
    );
    this.projection = projection;
    this.event = event;
    this.reason = reason;
  }
}

/** Whether an event caused the failure: SQLSTATE 22 (data exception) or 23 (constraint violation). */
function isPoison(failure: unknown): boolean {
  const state = sqlState(failure);
  return state !== null && poisonClasses.includes(state.slice(0, 2));
}

/** Whether an event may have caused the failure, rather than the database, its connection or this machine. */
export function isException(failure: unknown): failure is Error {
  if (!(failure instanceof Error) || infrastructureNames.includes(failure.name)) return false;
  if ("code" in failure && failure.code !== undefined && !argumentCodes.test(String(failure.code))) return false;
  // A connection never raises the language's own errors, whose messages may contain any word.
  const isBuiltIn = [TypeError, RangeError, SyntaxError, ReferenceError, URIError].some(
    (type) => failure instanceof type,
  );
  return isBuiltIn || !infrastructureMessages.test(failure.message);
}

/** The SQLSTATE of a failure; null when it did not come from the database. */
export function sqlState(failure: unknown): string | null {
  if (!(failure instanceof Error) || !("code" in failure) || typeof failure.code !== "string") return null;
  return /^[0-9A-Z]{5}$/.test(failure.code) ? failure.code : null;
}

/** The message of a failure, on one line. */
export function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const detail = "detail" in failure && typeof failure.detail === "string" ? ` (${failure.detail})` : "";
  // Knex puts the whole statement before the database's message.
  const message = failure.message.slice(failure.message.lastIndexOf(" - ") + 1).replace(/^- /, "");
  return `${sqlState(failure) === null ? failure.message : message}${detail}`.slice(0, 2_000);
}

/** Events that one projection is known to be unable to apply: the reason, by the event's id. */
export type KnownPoison = ReadonlyMap<string, string>;
const none: KnownPoison = new Map();

/** Called with an event that cannot be applied. When it resolves, the other events are applied. */
export type OnPoison = (event: RecordedEvent, reason: string) => Promise<void>;

/** The events of a batch that a projection handles, without those that an operator has skipped. */
export function handledBy(
  projection: Projection,
  batch: readonly RecordedEvent[],
  skipped: ReadonlySet<string>,
): readonly RecordedEvent[] {
  return batch.filter((event) => projection.handles.includes(event.type) && !skipped.has(event.id));
}

/**
 * Applies events to one generation, under a savepoint. When they cannot be stored, they are split in halves until each
 * event that cannot be applied is found, which goes to `onPoison`; so does every later event of its stream when the
 * projection parks by stream. Events in `known` go there without an attempt. Any other failure is thrown, so that the
 * whole transaction is repeated.
 * @throws {ApplyFailed} when `apply` threw an exception of its own; `findThrowingEvent` finds the event
 */
export async function applyWithoutPoison(
  trx: Knex.Transaction,
  projection: Projection,
  schema: SchemaName,
  events: readonly RecordedEvent[],
  parkedStreams: ReadonlySet<string>,
  onPoison: OnPoison,
  known: KnownPoison = none,
): Promise<void> {
  const parked = new Set(parkedStreams);

  const parkEvent = async (event: RecordedEvent, reason: string): Promise<void> => {
    if (projection.parkBy === "stream") parked.add(event.stream);
    await onPoison(event, reason);
  };

  const apply = async (part: readonly RecordedEvent[]): Promise<void> => {
    const failure = await tryToApply(trx, projection, schema, part);
    if (failure === null) return;
    const [only, ...others] = part;
    if (only === undefined) return;
    if (others.length === 0) return parkEvent(only, failure);
    const half = Math.ceil(part.length / 2);
    await applyAll(part.slice(0, half));
    await applyAll(part.slice(half));
  };

  /** Parks the events that need no attempt, and applies the runs of events between them. */
  const applyAll = async (part: readonly RecordedEvent[]): Promise<void> => {
    let run: RecordedEvent[] = [];
    for (const event of part) {
      const reason = reasonToPark(event, parked) ?? known.get(event.id) ?? null;
      if (reason === null) {
        run.push(event);
        continue;
      }
      const before = run;
      run = [];
      await apply(before);
      await parkEvent(event, reason);
    }
    await apply(run);
  };

  await applyAll(events);
}

/** {@link OnPoison} of a rebuild or a verification, which park nothing. */
export function refusePoison(projection: Projection): OnPoison {
  return async (event, reason) => {
    throw new PoisonEvent(projection.name, event, reason);
  };
}

function reasonToPark(event: RecordedEvent, parkedStreams: ReadonlySet<string>): string | null {
  if (parkedStreams.has(event.stream)) return "an earlier event of its stream is parked";
  return isUndecodable(event.data) ? event.data.message : null;
}

/** Returns null, or the reason why the events cannot be applied, after rolling them back. */
async function tryToApply(
  trx: Knex.Transaction,
  projection: Projection,
  schema: SchemaName,
  events: readonly RecordedEvent[],
): Promise<string | null> {
  if (events.length === 0) return null;
  // Not awaited: statements on a connection run in the order of sending.
  const saved = trx.raw("savepoint before_events").then();
  try {
    await Promise.all([saved, projection.apply(trx, schema, events)]);
  } catch (failure) {
    if (isException(failure)) throw new ApplyFailed(projection, schema, events, failure);
    if (!isPoison(failure)) throw failure;
    await trx.raw("rollback to savepoint before_events; release savepoint before_events");
    return reasonOf(failure);
  }
  await trx.raw("release savepoint before_events");
  return null;
}

/**
 * Finds the event for which `apply` throws: applies the events of the failed attempt again, in transactions that are
 * rolled back. Returns null unless one event fails twice with the same exception.
 */
export async function findThrowingEvent(
  db: Knex,
  { projection, schema, events }: ApplyFailed,
): Promise<PoisonEvent | null> {
  const tryParts = (...parts: readonly (readonly RecordedEvent[])[]): Promise<ApplyFailed | null> =>
    rolledBack(db, async (trx) => {
      for (const part of parts)
        await applyWithoutPoison(trx, projection, schema, part, new Set(), async () => undefined);
    });

  // Binary search for the shortest prefix that fails: the first `passing` events succeed, the first `failing` do not.
  let passing = 0;
  let failing = events.length;
  const first = await tryParts(events);
  if (first === null) return null;
  while (failing - passing > 1) {
    const middle = Math.floor((passing + failing) / 2);
    if ((await tryParts(events.slice(0, middle))) === null) passing = middle;
    else failing = middle;
  }
  const culprit = events[passing];
  if (culprit === undefined) return null;
  const before = events.slice(0, passing);
  const attempts = [await tryParts(before, [culprit]), await tryParts(before, [culprit])];
  const reasons = attempts.map((attempt) => (attempt?.events[0] === culprit ? exceptionOf(attempt) : null));
  const [reason, again] = reasons;
  if (reason === null || reason === undefined || reason !== again) return null;
  return new PoisonEvent(projection.name, culprit, reason);
}

/** The failure that a replay rejects with: a {@link PoisonEvent} when one event is at fault, otherwise `failure`. */
export async function replayFailure(db: Knex, failure: unknown): Promise<unknown> {
  return failure instanceof ApplyFailed ? ((await findThrowingEvent(db, failure)) ?? failure) : failure;
}

/** Runs `work` in a transaction that is rolled back; returns the exception of `apply`, and throws any other failure. */
async function rolledBack(db: Knex, work: (trx: Knex.Transaction) => Promise<void>): Promise<ApplyFailed | null> {
  const over = new Error("rolled back");
  try {
    await db.transaction(async (trx) => {
      await work(trx);
      throw over;
    });
  } catch (failure) {
    if (failure instanceof ApplyFailed) return failure;
    if (failure !== over) throw failure;
  }
  return null;
}

function exceptionOf({ cause }: ApplyFailed): string {
  return `${cause instanceof Error ? `${cause.name}: ` : ""}${reasonOf(cause)}`;
}
