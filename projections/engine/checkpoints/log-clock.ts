import type { Knex } from "knex";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";

/** Closer rows would only make the table long: about 30 million a year is enough. */
const tickMs = 1_000;

/** Writes rows of `log_clock`: at most one a second of the log's time, at the end of a batch. */
export interface LogClock {
  /** Notes the end of a batch in its transaction. */
  tick(trx: Knex.Transaction, batch: readonly RecordedEvent[]): Promise<void>;
}

export function createLogClock(): LogClock {
  let ticked = Number.NEGATIVE_INFINITY;
  return {
    tick: async (trx, batch) => {
      const last = batch.at(-1);
      const latest = batch.reduce((most, event) => Math.max(most, event.recordedAt.getTime()), 0);
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

/** Reads the clock. */
export interface LogClockReader {
  /**
   * The last position of which it is known that everything up to it was recorded at or before `instant`; null when
   * nothing is known so early. Up to a second and one batch behind the exact answer, never ahead of it.
   */
  positionAt(instant: Date): Promise<bigint | null>;
  /** The last position that the clock knows, of those up to `position`; null when it knows none so early. */
  lastTickUpTo(position: bigint): Promise<bigint | null>;
}

export function logClockReader(db: Knex | Knex.Transaction): LogClockReader {
  const onlyPosition = async (sql: string, binding: string): Promise<bigint | null> => {
    const { rows }: { rows: readonly { readonly position: bigint | string }[] } = await db.raw(sql, [binding]);
    return rows[0] === undefined ? null : BigInt(rows[0].position);
  };
  return {
    positionAt: (instant) =>
      onlyPosition(
        `select position
         from touchledger.log_clock
         where recorded_at <= ?
         order by recorded_at desc, position desc
         limit 1`,
        instant.toISOString(),
      ),
    lastTickUpTo: (position) =>
      onlyPosition(
        `select position
         from touchledger.log_clock
         where position <= ?::bigint
         order by position desc
         limit 1`,
        position.toString(),
      ),
  };
}
