import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";

/** A day of an app, in its time zone. */
export interface Day {
  readonly app_id: number;
  /** `YYYY-MM-DD`. */
  readonly local_date: string;
}

const columns: Columns<Day> = {
  app_id: { type: "integer", of: ({ app_id }) => app_id },
  local_date: { type: "date", of: ({ local_date }) => local_date },
};

/** Notes that facts of some days are other than they were, so that counts of those days hold no more. */
export async function markDaysChanged({ schema, run }: StatementPipeline, changed: Iterable<Day>): Promise<void> {
  const days = [...new Map([...changed].map((day) => [`${day.app_id} ${day.local_date}`, day])).values()];
  if (days.length === 0) return;
  const { text, names, values } = unnest(days, columns, "day");
  await run(
    `insert into ${schema}.day_changes as known (${names}, changes)
     select ${names}, 1 from ${text}
     on conflict (app_id, local_date) do update set changes = known.changes + 1`,
    values,
  );
}
