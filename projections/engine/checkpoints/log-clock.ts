import type { Knex } from "knex";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";

/** Minimum distance of two rows: at most about 30 million a year. */
const tickMs = 1_000;

/** Writes rows of `log_clock`, at most one for each second of the log's time. */
export interface LogClock {
  /** Writes a row for the end of a batch, in its transaction. */
  tick(trx: Knex.Transaction, batch: readonly RecordedEvent[]): Promise<void>;
}

export function createLogClock(): LogClock {
  let ticked = Number.NEGATIVE_INFINITY;
  return {
    tick: async (trx, batch) => {
      const last = batch.at(-1);
      const latest = batch.reduce((max, event) => Math.max(max, event.recordedAt.getTime()), 0);
      if (last === undefined || latest - ticked < tickMs) return;
      await trx.raw(
        `insert into touchledger.log_clock (position, recorded_at)
         select ?, greatest(?::timestamptz, (select max(recorded_at) from touchledger.log_clock))
         on conflict (position) do nothing`,
        [String(last.position.commit), new Date(latest).toISOString()],
      );
      ticked = latest;
    },
  };
}

export interface LogClockReader {
  /**
   * The last known position up to which everything was recorded at or before `instant`; null when none is known so
   * early. At most a second and one batch behind the exact position, never ahead of it.
   */
  positionAt(instant: Date): Promise<bigint | null>;
  /** The last known position at or below `position`; null when none is known so early. */
  lastTickUpTo(position: bigint): Promise<bigint | null>;
}

export function logClockReader(db: Knex | Knex.Transaction): LogClockReader {
  const readPosition = async (sql: string, binding: string): Promise<bigint | null> => {
    const { rows }: { rows: readonly { readonly position: bigint }[] } = await db.raw(sql, [binding]);
    return rows[0]?.position ?? null;
  };
  return {
    positionAt: (instant) =>
      readPosition(
        `select position
         from touchledger.log_clock
         where recorded_at <= ?
         order by recorded_at desc, position desc
         limit 1`,
        instant.toISOString(),
      ),
    lastTickUpTo: (position) =>
      readPosition(
        `select position
         from touchledger.log_clock
         where position <= ?::bigint
         order by position desc
         limit 1`,
        position.toString(),
      ),
  };
}
