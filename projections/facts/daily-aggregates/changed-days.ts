import type { ReadModel } from "../../projection.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import type { Day } from "./daily-statements.ts";

/** A day whose aggregates are missing or out of date. */
export interface DayToAggregate extends Day {
  /** Number of changes of the day; unchanged while the day is at rest. */
  readonly changes: bigint;
}

/**
 * The days to aggregate, oldest first; all of them unless there is a `max`. `infra/jobs/daily-aggregates.ts` waits until a
 * day is at rest.
 */
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
