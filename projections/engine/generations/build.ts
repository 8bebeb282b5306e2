import type { Knex } from "knex";
import type { LogPosition } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { Projection, SchemaName } from "../../projection.ts";
import { comparePlaces, describePlace, type Place } from "../checkpoints/positions.ts";
import { readSkipped } from "../parking/parking.ts";
import { applyEvents, handledBy, refusePoison } from "../runner/apply-events.ts";
import { openLogCursor } from "../runner/log-cursor.ts";
import type { LogReader } from "../runner/log-reader.ts";
import { advanceBuild, createGeneration, dropGeneration } from "./generations.ts";

/** New generations of some projections, filled from the beginning of the log beside those that are live. */
export interface Build {
  readonly schemas: ReadonlyMap<Projection, SchemaName>;
  place(): Place;
  /** Events of the log that have gone by so far. */
  events(): number;
  /**
   * Applies everything up to and with `target`; in batches of their own, or all of it in `trx`.
   * @throws {PoisonEvent} when an event cannot be applied: a build sets nothing aside
   */
  advanceTo(target: Place, trx?: Knex.Transaction): Promise<void>;
  /** Makes the indexes that queries need of what was built. */
  createQueryIndexes(): Promise<void>;
  /** Leaves out more events that are still to come: ids by the projection's name. */
  skipEvent(events: ReadonlyMap<string, ReadonlySet<string>>): void;
  /** Stops reading the log; what was built stays. */
  close(): void;
  /** Removes what was built. */
  discard(): Promise<void>;
}

/** Larger than the batches of a runner: nobody waits for one of these. */
export const buildBatch = 5_000;

/** Begins a build. Events that an operator has left out for good stay out of it. */
export async function openBuild(
  db: Knex,
  log: Pick<LogReader, "subscribe">,
  projections: readonly Projection[],
  onProgress: (build: Build) => void,
): Promise<Build> {
  const schemas = new Map<Projection, SchemaName>();
  const skipped = new Map<Projection, ReadonlySet<string>>();
  await db.transaction(async (trx) => {
    for (const projection of projections) {
      schemas.set(projection, await createGeneration(trx, projection, "building"));
      skipped.set(projection, await readSkipped(trx, projection.name));
    }
  });
  const cursor = openLogCursor(log, null, buildBatch);
  let place: Place = null;
  let events = 0;

  const apply = async (trx: Knex.Transaction, batch: readonly RecordedEvent[], last: LogPosition): Promise<void> => {
    await trx.raw("set local synchronous_commit = off; set local jit = off");
    for (const [projection, schema] of schemas) {
      const handled = handledBy(projection, batch, skipped.get(projection) ?? new Set());
      await applyEvents(trx, projection, schema, handled, new Set(), refusePoison(projection));
    }
    await advanceBuild(trx, [...schemas.values()], last.commit, batch.length);
  };

  const build: Build = {
    schemas,
    place: () => place,
    events: () => events,
    advanceTo: async (target, trx) => {
      while (target !== null && comparePlaces(place, target) < 0) {
        const batch = await cursor.next(target);
        const last = batch.at(-1)?.position;
        if (last === undefined) throw new Error(`The log has no event at position ${describePlace(target)}.`);
        await (trx === undefined ? db.transaction((own) => apply(own, batch, last)) : apply(trx, batch, last));
        place = last;
        events += batch.length;
        onProgress(build);
      }
    },
    createQueryIndexes: () =>
      db.transaction(async (trx) => {
        for (const [projection, schema] of schemas) await projection.createQueryIndexes?.(trx, schema);
      }),
    skipEvent: (more) => {
      for (const [projection, ids] of skipped) {
        skipped.set(projection, new Set([...ids, ...(more.get(projection.name) ?? [])]));
      }
    },
    close: cursor.close,
    discard: async () => {
      await db.transaction(async (trx) => {
        for (const schema of schemas.values()) await dropGeneration(trx, schema);
      });
    },
  };
  return build;
}
