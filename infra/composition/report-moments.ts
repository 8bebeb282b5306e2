import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import type { AsOfMoment, MomentOf } from "../../commands/report-tasks/as-of.ts";
import type { LogPosition } from "../../domain/event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { StreamName } from "../../domain/streams.ts";
import { lastTickUpTo } from "../../projections/engine/checkpoints/log-clock.ts";
import type { PositionOf } from "../../projections/reports/query/resolve-as-of.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { maxWaitMs } from "../http/routing/read-your-writes.ts";
import { exactPositionAt } from "./as-of.ts";

const maxCachedPositions = 10_000;

/** The log positions of events; each is read once. */
export function createPositionOf(log: Pick<EventLog, "read">): PositionOf {
  const known = new LRUCache<string, bigint>({ max: maxCachedPositions });
  return async ({ stream, revision }) => {
    const key = `${revision} ${stream}`;
    const position = known.get(key) ?? (await positionIn(log, stream, BigInt(revision)));
    known.set(key, position);
    return position;
  };
}

async function positionIn(log: Pick<EventLog, "read">, stream: string, revision: bigint): Promise<bigint> {
  for await (const event of log.read(stream as StreamName, revision)) {
    if (event.revision === revision) return event.position.commit;
    break;
  }
  throw new Error(`There is no event ${revision} in ${stream} any more`);
}

export interface MomentDeps {
  readonly db: Knex;
  readonly log: Pick<EventLog, "headPosition" | "readAll" | "eventAt">;
}

/** Resolves the `asOf` of reports, by the log's clock and the log itself. */
export function createMomentOf({ db, log }: MomentDeps): MomentOf {
  return async (asOf) => {
    if (/^\d+$/.test(asOf)) {
      const position = BigInt(asOf);
      const head = await log.headPosition();
      return head === null || position > head.commit ? { outcome: "ahead" } : momentAt(db, log, position, null);
    }
    const instant = new Date(asOf);
    if (instant.getTime() > Date.now()) return { outcome: "ahead" };
    const position = await exactPositionAt(db, log, instant);
    return position === null ? { outcome: "behind" } : momentAt(db, log, position, instant);
  };
}

async function momentAt(
  db: Knex,
  log: MomentDeps["log"],
  position: bigint,
  requested: Date | null,
): Promise<AsOfMoment> {
  const event = await lastEventUpTo(db, log, position);
  if (event === "behind") return { outcome: "behind" };
  if (event === null) return { outcome: "before_log" };
  return {
    outcome: "at",
    event: { stream: event.stream, revision: Number(event.revision) },
    position: event.position.commit,
    instant: requested ?? nowAt(event),
  };
}

/** When an event was recorded; of the request of a report what was 'now' for that report, so that it is repeated. */
function nowAt(event: RecordedEvent): Date {
  if (event.type !== "ReportRequested") return event.recordedAt;
  const { now, requestedAt } = event.data;
  return new Date(now ?? requestedAt);
}

/**
 * The last event at or before a position; null when there is none. Found from the last tick of the log's clock on, as
 * a server need not read from a position where no event stands; "behind" when that takes longer than a caller waits.
 */
async function lastEventUpTo(
  db: Knex,
  log: MomentDeps["log"],
  position: bigint,
): Promise<RecordedEvent | null | "behind"> {
  const tick = await lastTickUpTo(db, position);
  const from: LogPosition | "start" = tick === null ? "start" : { commit: tick, prepare: tick };
  const deadline = performance.now() + maxWaitMs;
  let last = from === "start" ? null : await log.eventAt(from);
  for await (const event of log.readAll(from, Number.MAX_SAFE_INTEGER)) {
    if (event.position.commit > position) break;
    if (performance.now() > deadline) return "behind";
    last = event;
  }
  return last;
}
