import { LRUCache } from "lru-cache";
import { type LogPosition, positionAtCommit } from "../../domain/event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { logClaimsStream, type StreamName } from "../../domain/streams.ts";
import { maxWaitMs } from "../http/routing/read-your-writes.ts";
import type { EventLog } from "./event-log.ts";

/** When positions were recorded, as the projections note it once a second (a tick). */
export interface LogClockReader {
  /** The last known position up to which everything was recorded at or before `instant`. */
  positionAt(instant: Date): Promise<bigint | null>;
  /** The last tick at or before `position`. */
  lastTickUpTo(position: bigint): Promise<bigint | null>;
}

export interface AsOfDeps {
  readonly clock: LogClockReader;
  readonly log: Pick<EventLog, "headPosition" | "readAll" | "eventAt">;
}

type NotFound = { readonly outcome: "ahead" | "behind" };

/** The position of `asOf`, a position or an ISO instant; `ahead` of the log, or `behind`: not found in time. */
async function findPosition(asOf: string, { clock, log }: AsOfDeps) {
  if (/^\d+$/.test(asOf)) {
    const position = BigInt(asOf);
    const head = await log.headPosition();
    if (head === null || position > head.commit) return { outcome: "ahead" } satisfies NotFound;
    return { outcome: "at", position, instant: null } as const;
  }
  const instant = new Date(asOf);
  if (instant.getTime() > Date.now()) return { outcome: "ahead" } satisfies NotFound;
  const position = await exactPositionAt(instant, clock, log);
  return position === null
    ? ({ outcome: "behind" } satisfies NotFound)
    : ({ outcome: "at", position, instant } as const);
}

/**
 * The last position up to which everything was recorded at or before `instant`; 0 when there is none. The clock is up
 * to a second behind, or as far as the read models are, so the log is read from there; null when that takes longer than
 * a caller waits.
 */
async function exactPositionAt(instant: Date, clock: LogClockReader, log: AsOfDeps["log"]): Promise<bigint | null> {
  const known = await tickAt(instant, clock, log);
  const deadline = performance.now() + maxWaitMs;
  let position = known ?? 0n;
  for await (const event of log.readAll(positionOrStart(known), Number.MAX_SAFE_INTEGER)) {
    if (event.recordedAt > instant) break;
    if (performance.now() > deadline) return null;
    position = event.position.commit;
  }
  return position;
}

/** The position that the clock knows, unless its event was recorded later: `verify` does not compare the clock. */
async function tickAt(instant: Date, clock: LogClockReader, log: AsOfDeps["log"]): Promise<bigint | null> {
  const position = await clock.positionAt(instant);
  if (position === null) return null;
  const event = await log.eventAt(positionAtCommit(position));
  return event !== null && event.recordedAt <= instant ? position : null;
}

function positionOrStart(position: bigint | null): LogPosition | "start" {
  return position === null ? "start" : positionAtCommit(position);
}

/** The read models of one group, which are read as of positions. */
export interface GroupPositions {
  /** The position that they have passed. */
  passedPosition(): Promise<bigint>;
  /** Waits until they have passed a position; false after `timeoutMs`. */
  waitForPosition(position: bigint, timeoutMs: number): Promise<boolean>;
}

/** Returns a function that resolves the `asOf` of a query of a group's read models; null is their current position. */
export function createPositionAsOf(deps: AsOfDeps & GroupPositions) {
  return async (asOf: string | null) => {
    if (asOf === null) return { outcome: "at", position: await deps.passedPosition() } as const;
    const found = await findPosition(asOf, deps);
    if (found.outcome !== "at") return found;
    const { position } = found;
    if (!(await deps.waitForPosition(position, maxWaitMs))) return { outcome: "behind" } as const;
    return { outcome: "at", position } as const;
  };
}

/**
 * Returns a function that resolves the `asOf` of reports to the last event then and an instant
 * (contract/reports.md#tasks).
 */
export function createAsOfResolver(deps: AsOfDeps) {
  return async (asOf: string) => {
    const found = await findPosition(asOf, deps);
    if (found.outcome !== "at") return found;
    const event = await lastEventUpTo(found.position, deps);
    if (event === "behind") return { outcome: "behind" } as const;
    if (event === null) return { outcome: "before_log" } as const;
    return {
      outcome: "at",
      event: { stream: event.stream, revision: Number(event.revision) },
      position: event.position.commit,
      instant: found.instant ?? nowAt(event),
    } as const;
  };
}

/** When an event was recorded; of the request of a report when it was requested, so that the report can be repeated. */
function nowAt(event: RecordedEvent): Date {
  return event.type === "ReportRequested" ? new Date(event.data.requestedAt) : event.recordedAt;
}

/**
 * The last event at or before a position that a copy of the log has too; null when there is none. Usually an event is at
 * the position, as responses to writes contain it. Otherwise it is searched from the last tick of the clock at an event
 * that a copy has too, as a read must begin at the position of an event; "behind" when that takes longer than a caller waits.
 */
async function lastEventUpTo(position: bigint, { clock, log }: AsOfDeps): Promise<RecordedEvent | null | "behind"> {
  let from: bigint | null = position;
  let last = await copiedEventAt(position, log);
  if (last !== null) return last;
  while (last === null && from !== null) {
    from = await clock.lastTickUpTo(from - 1n);
    last = from === null ? null : await copiedEventAt(from, log);
  }
  const deadline = performance.now() + maxWaitMs;
  for await (const event of log.readAll(positionOrStart(from), Number.MAX_SAFE_INTEGER)) {
    if (event.position.commit > position) break;
    if (performance.now() > deadline) return "behind";
    if (isInCopies(event)) last = event;
  }
  return last;
}

/** The event at a position, if a copy of the log has it too. */
async function copiedEventAt(position: bigint, log: AsOfDeps["log"]): Promise<RecordedEvent | null> {
  const event = await log.eventAt(positionAtCommit(position));
  return event !== null && isInCopies(event) ? event : null;
}

/** Claims are left out of a copy (docs/decisions/024). */
function isInCopies({ stream }: RecordedEvent): boolean {
  return stream !== logClaimsStream;
}

const maxCachedPositions = 10_000;

/** The log positions of events by stream and revision; each that is found is read once. Null: the log does not have it. */
export function createPositionOf(log: Pick<EventLog, "read">) {
  const known = new LRUCache<string, bigint>({ max: maxCachedPositions });
  return async ({
    stream,
    revision,
  }: {
    readonly stream: string;
    readonly revision: number;
  }): Promise<bigint | null> => {
    const key = `${revision} ${stream}`;
    const position = known.get(key) ?? (await positionIn(log, stream, BigInt(revision)));
    if (position !== null) known.set(key, position);
    return position;
  };
}

async function positionIn(log: Pick<EventLog, "read">, stream: string, revision: bigint): Promise<bigint | null> {
  for await (const event of log.read(stream as StreamName, revision)) {
    if (event.revision === revision) return event.position.commit;
    break;
  }
  return null;
}
