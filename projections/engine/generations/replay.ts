import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import type { LogPosition } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { cancelledOnAbort } from "../../cancelled-on-abort.ts";
import type { Projection, SchemaName } from "../../projection.ts";
import { comparePositions, type PositionOrStart, positionText } from "../checkpoints/positions.ts";
import { applyWithoutPoison, handledBy, refusePoison } from "../parking/find-poison.ts";
import { readSkipped } from "../parking/skipped-events.ts";
import { openLogCursor } from "../runner/log-cursor.ts";
import type { LogReader } from "../runner/log-reader.ts";
import { watchForStall } from "../runner/watch-for-stall.ts";
import { advanceBuilding, createGeneration, dropBuilding } from "./generations.ts";

/** New generations of some projections, filled from the beginning of the log next to the live ones. */
export interface Replay {
  readonly schemas: ReadonlyMap<Projection, SchemaName>;
  position(): PositionOrStart;
  /** Number of events of the log read so far. */
  events(): number;
  /**
   * Applies all events up to and including `target`, each batch in a transaction, or all of them in `trx`.
   * @throws {PoisonEvent} when an event cannot be applied: a replay parks nothing
   * @throws {LogStalled} when the event store fails for `stalledMs`
   */
  advanceTo(target: PositionOrStart, trx?: Knex.Transaction): Promise<void>;
  /** Takes minutes on a large log; ends with an error once the signal of the replay aborts. */
  createQueryIndexes(): Promise<void>;
  /** Whether an operator has skipped further events. */
  hasMissedSkips(trx: Knex.Transaction): Promise<boolean>;
  /** Adds events to skip, by the projection's name. */
  skipEvents(events: ReadonlyMap<string, ReadonlySet<string>>): void;
  /** Stops reading the log; the generations stay. */
  close(): void;
  /** Drops the generations, unless they were promoted. */
  discard(): Promise<void>;
}

/** How long a replay waits for the log. */
export interface ReplayWait {
  /** How long the event store may fail; without end when absent. */
  readonly stalledMs?: number;
  /** Ends the replay with an error. */
  readonly signal?: AbortSignal;
}

/** Larger than the batches of a runner: no reader waits for one. */
const replayBatch = 5_000;
const checkEveryMs = 100;

/**
 * Creates generations of the projections. Events that an operator has skipped are not applied to them. Without
 * `stalledMs` a replay waits for the event store until `signal` aborts.
 */
export async function openReplay(
  db: Knex,
  log: Pick<LogReader, "subscribe">,
  projections: readonly Projection[],
  onProgress: (replay: Replay) => void,
  { stalledMs = Number.POSITIVE_INFINITY, signal = new AbortController().signal }: ReplayWait = {},
): Promise<Replay> {
  const schemas = new Map<Projection, SchemaName>();
  const skipped = new Map<Projection, ReadonlySet<string>>();
  await db.transaction(async (trx) => {
    for (const projection of projections) {
      schemas.set(projection, await createGeneration(trx, projection, "building"));
      skipped.set(projection, await readSkipped(trx, projection.name));
    }
  });
  const stall = watchForStall(log, stalledMs);
  const cursor = openLogCursor(stall.log, null, replayBatch);
  let position: PositionOrStart = null;
  let events = 0;

  const nextBatch = async (target: LogPosition): Promise<readonly RecordedEvent[]> => {
    stall.restart();
    const next = cursor.next(target);
    for (;;) {
      signal.throwIfAborted();
      const batch = await Promise.race([next, delay(checkEveryMs, null)]);
      if (batch !== null) return batch;
      stall.check(position);
    }
  };

  const apply = async (trx: Knex.Transaction, batch: readonly RecordedEvent[], last: LogPosition): Promise<void> => {
    await trx.raw("set local synchronous_commit = off; set local jit = off");
    for (const [projection, schema] of schemas) {
      const handled = handledBy(projection, batch, skipped.get(projection) ?? new Set());
      await applyWithoutPoison(trx, projection, schema, handled, new Set(), refusePoison(projection));
    }
    await advanceBuilding(trx, [...schemas.values()], last.commit, batch.length);
  };

  const replay: Replay = {
    schemas,
    position: () => position,
    events: () => events,
    advanceTo: async (target, trx) => {
      while (target !== null && comparePositions(position, target) < 0) {
        const batch = await nextBatch(target);
        const last = batch.at(-1)?.position;
        if (last === undefined) throw new Error(`The log has no event at position ${positionText(target)}.`);
        await (trx === undefined ? db.transaction((own) => apply(own, batch, last)) : apply(trx, batch, last));
        position = last;
        events += batch.length;
        onProgress(replay);
      }
    },
    createQueryIndexes: () =>
      db.transaction((trx) =>
        cancelledOnAbort(db, trx, signal, async () => {
          for (const [projection, schema] of schemas) await projection.createQueryIndexes?.(trx, schema);
        }),
      ),
    hasMissedSkips: async (trx) => {
      for (const [{ name }, known] of skipped) {
        for (const eventId of await readSkipped(trx, name)) if (!known.has(eventId)) return true;
      }
      return false;
    },
    skipEvents: (more) => {
      for (const [projection, ids] of skipped) {
        skipped.set(projection, new Set([...ids, ...(more.get(projection.name) ?? [])]));
      }
    },
    close: cursor.close,
    discard: async () => {
      await db.transaction(async (trx) => {
        for (const schema of schemas.values()) await dropBuilding(trx, schema);
      });
    },
  };
  return replay;
}
