import type { ReadModel } from "../../projection.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { bindingsOf, type Day, dailyTables, isOfDay } from "./daily-statements.ts";

/** A day whose aggregates are missing or out of date. */
export interface DayToAggregate extends Day {
  /** Number of changes of the day; unchanged while the day is at rest. */
  readonly changes: bigint;
}

/** The days to aggregate, oldest first; all of them unless there is a `max`. */
export async function daysToAggregate(
  { db, schema }: ReadModel,
  max: number | null = null,
): Promise<readonly DayToAggregate[]> {
  const { rows } = await db.raw<{ rows: DayToAggregate[] }>(
    `select app_id, local_date, day_changes.changes
     from ${schema}.day_changes
     left join ${schema}.aggregated_days as aggregated using (app_id, local_date)
     where aggregated.changes is distinct from day_changes.changes
     order by local_date, app_id
     limit :max`,
    { max },
  );
  return rows;
}

/**
 * Aggregates the facts of a day in one snapshot, with and without their clients. When the facts change meanwhile, the
 * aggregates are out of date, which `changes` shows.
 */
export async function aggregateDay({ db, schema }: ReadModel, day: Day): Promise<void> {
  await db.transaction(
    async (trx) => {
      await trx.raw("set local synchronous_commit = off; set local work_mem = '64MB'");
      for (const { table, columns, select } of dailyTables(schema)) {
        await trx.raw(`delete from ${schema}.${table} where ${isOfDay}`, bindingsOf(day));
        await trx.raw(`insert into ${schema}.${table} (${columns}) ${select}`, bindingsOf(day));
      }
    },
    { isolationLevel: "repeatable read" },
  );
}

const dayColumns: Columns<Day> = {
  app_id: { type: "integer", of: ({ app_id }) => app_id },
  local_date: { type: "date", of: ({ local_date }) => local_date },
};

/** Records that facts of days have changed, so that the aggregates of these days are out of date. */
export async function markDaysChanged({ schema, run }: StatementPipeline, changed: Iterable<Day>): Promise<void> {
  const days = [...new Map([...changed].map((day) => [`${day.app_id} ${day.local_date}`, day])).values()];
  if (days.length === 0) return;
  const { text, names, values } = unnest(days, dayColumns, "day");
  await run(
    `insert into ${schema}.day_changes as known (${names}, changes)
     select ${names}, 1
     from ${text}
     on conflict (app_id, local_date) do update
     set changes = known.changes + 1`,
    values,
  );
}
