import type { Knex } from "knex";
import type { LogPosition } from "../../domain/event.ts";
import { readCheckpoint } from "../../projections/engine/checkpoints/checkpoint.ts";
import { positionAt } from "../../projections/engine/checkpoints/log-clock.ts";
import type { GroupName } from "../../projections/projection.ts";
import type { AsOf, PositionAsOf } from "../../read-api/as-of.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { maxWaitMs, type Passed } from "../http/routing/read-your-writes.ts";

export interface AsOfDeps {
  readonly db: Knex;
  readonly log: Pick<EventLog, "headPosition" | "readAll">;
  readonly passed: Passed;
  /** Whose read models answer (default: `facts`). */
  readonly group?: GroupName;
}

/** Resolves positions and instants for queries of a group's read models, by the log's clock and the log itself. */
export function createPositionAsOf({ db, log, passed, group = "facts" }: AsOfDeps): PositionAsOf {
  const once = async (position: bigint): Promise<AsOf> =>
    (await passed(group, position, maxWaitMs)) ? { outcome: "at", position } : { outcome: "behind" };

  return async (asOf) => {
    if (asOf === null) return { outcome: "at", position: await passedBy(group, db) };
    if (/^\d+$/.test(asOf)) {
      const position = BigInt(asOf);
      const head = await log.headPosition();
      return head === null || position > head.commit ? { outcome: "ahead" } : once(position);
    }
    const instant = new Date(asOf);
    if (instant.getTime() > Date.now()) return { outcome: "ahead" };
    const position = await exactPositionAt(db, log, instant);
    return position === null ? { outcome: "behind" } : once(position);
  };
}

async function passedBy(group: GroupName, db: Knex): Promise<bigint> {
  return (await readCheckpoint(db, group))?.place?.commit ?? 0n;
}

/**
 * The last position of which everything up to it was recorded at or before `instant`; 0 when nothing was. The clock is
 * up to a second behind, or as far as the read models are, so the log is read on from there; null when that takes
 * longer than a caller waits.
 */
export async function exactPositionAt(db: Knex, log: Pick<EventLog, "readAll">, instant: Date): Promise<bigint | null> {
  const known = await positionAt(db, instant);
  const from: LogPosition | "start" = known === null ? "start" : { commit: known, prepare: known };
  const deadline = performance.now() + maxWaitMs;
  let position = known ?? 0n;
  for await (const event of log.readAll(from, Number.MAX_SAFE_INTEGER)) {
    if (event.recordedAt > instant) break;
    if (performance.now() > deadline) return null;
    position = event.position.commit;
  }
  return position;
}
