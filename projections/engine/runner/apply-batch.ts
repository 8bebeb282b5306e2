import type { Knex } from "knex";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { GroupName, Projection } from "../../projection.ts";
import { advanceCheckpoint, type Checkpoint, canServeReads, Fenced } from "../checkpoints/checkpoint.ts";
import type { LogClock } from "../checkpoints/log-clock.ts";
import { comparePositions, type PositionOrStart } from "../checkpoints/positions.ts";
import { applyWithoutPoison, handledBy, type KnownPoison } from "../parking/find-poison.ts";
import { park } from "../parking/parking.ts";
import { generationKey, lockGroup } from "./lock-group.ts";

/** The runner of a group, for as long as it is the leader. */
export interface GroupWriter {
  readonly group: GroupName;
  readonly projections: readonly Projection[];
  readonly epoch: bigint;
  /** Null in a group that does not record the log's time. */
  readonly clock: LogClock | null;
}

/** `isComplete`: all projections of the group can be read up to its checkpoint. */
export type BatchOutcome =
  /** Rows and checkpoint are committed. */
  | { readonly outcome: "applied"; readonly parked: number; readonly isComplete: boolean }
  /** The checkpoint is not where the runner expected it, as after a commit whose reply was lost: resume from it. */
  | { readonly outcome: "moved"; readonly checkpoint: Checkpoint; readonly isComplete: boolean }
  /** Readers may still use a generation that was just replaced: apply the batch again after `ms` milliseconds. */
  | { readonly outcome: "settling"; readonly ms: number };

const none: ReadonlySet<string> = new Set();
const noneKnown: ReadonlyMap<string, KnownPoison> = new Map();

/**
 * Applies a batch to every live generation of the group and advances its checkpoint, in one transaction.
 * @param known events that a projection (by name) is known to be unable to apply; they are parked without an attempt
 * @throws {Fenced} when another runner has taken over. Nothing is changed when it throws.
 */
export async function applyBatch(
  db: Knex,
  writer: GroupWriter,
  from: PositionOrStart,
  batch: readonly RecordedEvent[],
  known: ReadonlyMap<string, KnownPoison> = noneKnown,
): Promise<BatchOutcome> {
  return db.transaction(async (trx) => {
    const { checkpoint, live, parkedStreams, skipped, settlesInMs } = await lockGroup(trx, writer.group);
    if (checkpoint?.epoch !== writer.epoch) throw new Fenced(`Group ${writer.group} has another runner.`);
    if (settlesInMs > 0) return { outcome: "settling", ms: settlesInMs };
    const isBuilt = writer.projections.every((projection) => live.has(generationKey(projection)));
    const isCompleteAt = (position: PositionOrStart): boolean => isBuilt && canServeReads({ ...checkpoint, position });
    if (comparePositions(checkpoint.position, from) !== 0) {
      return { outcome: "moved", checkpoint, isComplete: isCompleteAt(checkpoint.position) };
    }

    let parked = 0;
    for (const projection of writer.projections) {
      const schema = live.get(generationKey(projection));
      if (schema === undefined) continue;
      const events = handledBy(projection, batch, skipped.get(projection.name) ?? none);
      await applyWithoutPoison(
        trx,
        projection,
        schema,
        events,
        parkedStreams.get(schema) ?? none,
        async (event, reason) => {
          parked += 1;
          await park(trx, projection, schema, event, reason);
        },
        known.get(projection.name),
      );
    }
    await writer.clock?.tick(trx, batch);
    await advanceCheckpoint(trx, checkpoint, batch);
    return { outcome: "applied", parked, isComplete: isCompleteAt(batch.at(-1)?.position ?? checkpoint.position) };
  });
}
